"""Endings of Durak for two players: with an empty talon each player knows the other's hand by elimination.

Alpha-beta search with three values: 1 if the defender loses, 0 for a draw, -1 if the attacker loses. A table remembers
bounds of the positions in which a bout begins. No position comes twice: a bout either removes cards for good, or the
attacker has fewer than before and attacks again. So the search needs no limit of moves, and no draw by repetition.

It covers the rules without `batch_attacks` and `transfer`. The turn limit is not part of the value: near it, a deal
that somebody would win may end as a draw.
"""

from __future__ import annotations

from typing import Any, Final

from engine.cards import RANK_MASK, SUIT_MASK, cards_of
from engine.game import Game, Move
from engine.games.durak import BEATERS, CLAIM, DEFEND, GIVE, MOST_ATTACKS, PASS, TAKE

MOST_NODES: Final = 1_000_000
"""How many beginnings of bouts a solution may look at by default. They use some 200 MB."""


class TooLong(Exception):
    """The ending needs more than the permitted number of nodes."""


def solvable(game: Game, state: Any) -> bool:
    """Return whether `values` solves this state: Durak for two without batches and transfers, no talon, bouts of six,
    and a question that is part of a bout."""
    return (
        game.id == "durak"
        and game.seats == 2
        and not game.options["batch_attacks"]
        and not game.options["transfer"]
        and state.question < CLAIM
        and not state.bout.left
        and state.bout.most == MOST_ATTACKS
    )


def values(game: Game, state: Any, most_nodes: int = MOST_NODES) -> dict[Move, int]:
    """Return the value of each legal move for the seat to move: 1 if the other loses, 0 for a draw, -1 for a loss.

    Raise `ValueError` for a state that isn't `solvable`, and `TooLong` after `most_nodes` nodes.
    """
    if not solvable(game, state):
        raise ValueError("this is no ending of Durak for two: no talon, no batches, no transfers")
    seat, legal, question, hands, table, _, _, bout = state
    attacks, _, _, cards, fitting = table
    search = EndingSearch(bout.deal.trump, most_nodes)
    own, other, room = hands[seat], hands[1 - seat], bout.limit - len(attacks)

    def attacked(card: Move) -> int:
        """Return the value after this attack card."""
        fits = fitting | RANK_MASK[card >> 2]
        return search.defend(own ^ 1 << card, other, card, cards, fits, len(attacks) + 1, bout.limit)

    def answered(card: Move) -> int:
        """Return the value after the defender takes, or beats with this card."""
        if card == TAKE:
            return search.give(other, own | cards, other & fitting, room)
        fits = fitting | RANK_MASK[card >> 2]
        return search.throw(other, own ^ 1 << card, cards | 1 << card, fits, len(attacks), bout.limit)

    def given(card: int, more: int) -> int:
        """Return the value after this card (a mask, or 0) for a defender who takes, and up to `more` others."""
        return search.give(own ^ card, other | cards | card, own & ~card & fitting, more)

    if question == DEFEND:
        return {move: -answered(move) for move in legal}
    if question == GIVE:
        return {move: given(0, 0) if move == PASS else given(1 << move, room - 1) for move in legal}
    return {move: search.beaten_off(own, other) if move == PASS else attacked(move) for move in legal}


class EndingSearch:
    """A search from one position. All values are the attacker's: 1 if the defender loses."""

    def __init__(self, trump: int, most_nodes: int) -> None:
        self._trumps = SUIT_MASK[trump]
        self._beaters = BEATERS[trump]
        self._left = most_nodes
        self._at_least: dict[int, int] = {}
        self._at_most: dict[int, int] = {}

    def _open(self, attacker: int, defender: int, alpha: int, beta: int) -> int:
        """Return the value of a bout that begins. Both hold cards."""
        key = attacker << 52 | defender
        least, most = self._at_least.get(key, -1), self._at_most.get(key, 1)
        if least >= beta or least == most:
            return least
        if most <= alpha:
            return most
        if not self._left:
            raise TooLong
        self._left -= 1
        alpha, beta = max(alpha, least), min(beta, most)
        limit = min(defender.bit_count(), MOST_ATTACKS)
        best, above = -2, alpha
        for card in self._cheap_first(attacker):
            value = self.defend(
                attacker ^ 1 << card, defender, card, 0, RANK_MASK[card >> 2], 1, limit, above, beta
            )
            if value > best:
                best, above = value, max(above, value)
                if value >= beta:
                    break
        if best > alpha:
            self._at_least[key] = best
        if best < beta:
            self._at_most[key] = best
        return best

    def defend(
        self,
        attacker: int,
        defender: int,
        attack: int,
        table: int,
        fitting: int,
        attacks: int,
        limit: int,
        alpha: int = -1,
        beta: int = 1,
    ) -> int:
        """Return the value when the defender is asked to beat `attack`. It chooses the lowest."""
        best = 2
        table |= 1 << attack
        for card in self._cheap_first(defender & self._beaters[attack]):
            value = self.throw(
                attacker,
                defender ^ 1 << card,
                table | 1 << card,
                fitting | RANK_MASK[card >> 2],
                attacks,
                limit,
                alpha,
                beta,
            )
            if value < best:
                best, beta = value, min(beta, value)
                if value <= alpha:
                    return best
        return min(
            best, self.give(attacker, defender | table, attacker & fitting, limit - attacks, alpha, beta)
        )

    def throw(
        self,
        attacker: int,
        defender: int,
        table: int,
        fitting: int,
        attacks: int,
        limit: int,
        alpha: int = -1,
        beta: int = 1,
    ) -> int:
        """Return the value when all cards are beaten and the attacker may throw in."""
        best = -2
        for card in self._cheap_first(attacker & fitting) if attacks < limit else ():
            value = self.defend(
                attacker ^ 1 << card, defender, card, table, fitting, attacks + 1, limit, alpha, beta
            )
            if value > best:
                best, alpha = value, max(alpha, value)
                if value >= beta:
                    return best
        return max(best, self.beaten_off(attacker, defender, alpha, beta))

    def beaten_off(self, attacker: int, defender: int, alpha: int = -1, beta: int = 1) -> int:
        """Return the value after the attacker passes."""
        if attacker and defender:
            return -self._open(defender, attacker, -beta, -alpha)
        return 1 if defender else -1 if attacker else 0

    def give(
        self, attacker: int, defender: int, fitting: int, room: int, alpha: int = -1, beta: int = 1
    ) -> int:
        """Return the value when the defender takes and the attacker may give up to `room` of the `fitting` cards."""
        given = [0]
        for card in self._cheap_first(fitting):
            given += [some | 1 << card for some in given if some.bit_count() < room]
        if attacker in given:
            return 1
        best = -2
        for some in sorted(given, key=int.bit_count):
            value = self._open(attacker ^ some, defender | some, alpha, beta)
            if value > best:
                best, alpha = value, max(alpha, value)
                if value >= beta:
                    break
        return best

    def _cheap_first(self, cards: int) -> tuple[int, ...]:
        """Return the cards by rank, the trumps last."""
        trumps = cards & self._trumps
        return cards_of(cards ^ trumps) + cards_of(trumps)
