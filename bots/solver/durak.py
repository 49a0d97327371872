"""Endings of Durak for two sides: two players, or teams whose hands are known.

Without `batch_attacks` and `transfer`, two players get an alpha-beta search with three values: 1 if the defender loses,
0 for a draw, -1 if the attacker loses. A table remembers bounds of the positions in which a bout begins. No position
comes twice: a bout either removes cards for good, or the attacker has fewer than before and attacks again. So this
search needs no limit of moves, and no draw by repetition.

All other endings may go round for ever, so `bots.solver.graph` solves them.

The turn limit is not part of the value: near it, a deal that somebody would win may end as a draw.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any, Final

from bots.solver.errors import HiddenCards, TooLong, Unsolvable
from bots.solver.graph import Bounds, GraphSearch
from bots.solver.positions import refuse_hidden, refuse_impossible
from engine.cards import RANK_MASK, SUIT_MASK, cards_of
from engine.game import NOBODY, Game, Move
from engine.games.durak import (
    ATTACK,
    BEATERS,
    CARDS,
    CLAIM,
    DEFEND,
    GIVE,
    MOST_ATTACKS,
    PASS,
    TAKE,
    Durak,
    DurakState,
)

_CLUBS: Final = SUIT_MASK[0]
_SHARED: Final = ("batch_attacks", "transfer", "lowest_rank", "turn_limit")
"""The options that matter when two players are left."""


def bounds(game: Game, state: Any, most_nodes: int, open_hands: bool = False) -> dict[Move, Bounds]:
    """Return the bounds of the value of each legal move. Raise `Unsolvable`, and `TooLong` if none is known."""
    _refuse(game, state, open_hands)
    if _ends_surely(game, state):
        search = EndingSearch(state.bout.deal.trump, most_nodes)
        return {move: (value, value) for move, value in _for_two(state, search).items()}
    return GraphSearch(game, _key, most_nodes).bounds(state)


def lines(game: Game, state: Any, most_nodes: int) -> dict[Move, list[Move]]:
    """Return the moves of best play after each legal move, as `bots.solver.lines` does."""
    _refuse(game, state, False)
    if not _ends_surely(game, state):
        return GraphSearch(game, _named_key, most_nodes).lines(state)
    search = EndingSearch(state.bout.deal.trump, most_nodes)
    return {move: _line(game, game.play(state, state.to_move, move), search) for move in state.legal}


def _line(game: Game, state: Any, search: EndingSearch) -> list[Move]:
    moves: list[Move] = []
    while state.to_move != NOBODY:
        found = _for_two(state, search)
        moves.append(max(state.legal, key=found.__getitem__))
        state = game.play(state, state.to_move, moves[-1])
    return moves


def _ends_surely(game: Game, state: Any) -> bool:
    """Return whether no position can come twice."""
    other_rules = game.options["batch_attacks"] or game.options["transfer"]
    return game.seats == 2 and not other_rules and state.question < CLAIM and state.bout.most == MOST_ATTACKS


def last_two(game: Game, state: Any) -> tuple[Game, Any]:
    """Return the ending as one at a table for two, with the same moves, if only two sides' last players are left.

    Otherwise return it as it is, also while the last attackers of a bout are others than the one who is left.
    """
    bout = state.bout
    seats = [seat for seat, hand in enumerate(state.hands) if hand or seat == bout.defender]
    if len(seats) != 2 or game.seats == 2 or bout.left or state.question >= CLAIM:
        return game, state
    defender = seats.index(bout.defender)
    attacker = 1 - defender
    if game.sides[seats[0]] == game.sides[seats[1]] or seats[attacker] not in bout.entitled:
        return game, state
    return _for_two_seats(*[game.options[name] for name in _SHARED]), state._replace(
        to_move=seats.index(state.to_move),
        hands=tuple([state.hands[seat] for seat in seats]),
        asking=(attacker,) if state.asking else (),
        bout=bout._replace(attacker=attacker, defender=defender, entitled=(attacker,)),
    )


@cache
def _for_two_seats(*values: object) -> Game:
    return Durak.table(2, dict(zip(_SHARED, values, strict=True)))


def _refuse(game: Game, state: Any, open_hands: bool) -> None:
    """Raise `Unsolvable` if this position has hidden cards, can't arise, or has more than two sides."""
    bout = state.bout
    if bout.left:
        raise HiddenCards(f"cards are hidden: {bout.left} in the talon")
    refuse_impossible(game, (*state.hands, state.table[CARDS]))
    if not open_hands:
        refuse_hidden(state.hands, bout.lain | bout.deal.shown)
    if set(game.sides) != {0, 1}:
        raise Unsolvable("only Durak for two players, or for two teams, has a solver")


def _key(state: DurakState) -> Hashable:
    """Return a key of a state that, between two bouts, does not depend on the names of the suits without trumps."""
    _, _, question, hands, table, asking, _, bout = state
    if question != ATTACK:
        attacks, beats, unbeaten, cards, fitting = table
        roles = (bout.attacker, bout.defender, bout.limit, bout.most, bout.claim)
        return (
            question,
            hands,
            asking,
            len(attacks),
            not beats,
            unbeaten,
            cards,
            fitting,
            roles,
            bout.entitled,
        )
    trump = bout.deal.trump
    suits = [tuple([hand >> suit & _CLUBS for hand in hands]) for suit in range(4)]
    plain = sorted([suits[suit] for suit in range(4) if suit != trump])
    return (bout.attacker, bout.defender, bout.most, suits[trump], *plain)


def _named_key(state: DurakState) -> Hashable:
    """Return a key of a state in which all suits keep their names, so a line can be followed from state to state."""
    if state.question != ATTACK:
        return _key(state)
    return (state.bout.attacker, state.bout.defender, state.bout.most, *state.hands)


def _for_two(state: Any, search: EndingSearch) -> dict[Move, int]:
    """Return the value of each legal move for the seat to move. Raise `TooLong` if the search has no nodes left."""
    seat, legal, question, hands, table, _, _, bout = state
    attacks, _, _, cards, fitting = table
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
        self._trump = trump
        self._trumps = SUIT_MASK[trump]
        self._plain = tuple([suit for suit in range(4) if suit != trump])
        self._beaters = BEATERS[trump]
        self._left = most_nodes
        self._at_least: dict[int, int] = {}
        self._at_most: dict[int, int] = {}

    def _open(self, attacker: int, defender: int, alpha: int, beta: int) -> int:
        """Return the value of a bout that begins. Both hold cards."""
        key = self._key(attacker, defender)
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

    def _key(self, attacker: int, defender: int) -> int:
        """Return a key of the two hands that does not depend on the names of the suits without trumps."""
        trump, (one, two, three) = self._trump, self._plain
        # A rank takes four bits in a hand of one suit: the lowest two say who holds it.
        low = attacker >> one & _CLUBS | (defender >> one & _CLUBS) << 1
        middle = attacker >> two & _CLUBS | (defender >> two & _CLUBS) << 1
        high = attacker >> three & _CLUBS | (defender >> three & _CLUBS) << 1
        if low > middle:
            low, middle = middle, low
        if middle > high:
            middle, high = high, middle
            if low > middle:
                low, middle = middle, low
        trumps = attacker >> trump & _CLUBS | (defender >> trump & _CLUBS) << 1
        return (low | middle << 2) << 52 | high | trumps << 2

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
        for some in sorted(given, key=int.bit_count, reverse=True):
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
