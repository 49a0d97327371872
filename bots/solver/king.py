"""The last tricks of King, where the seat to move knows all hands.

Four players play each for themselves, so a line of best play is not unique. The value of a move is therefore what the
seat is sure of: its points in this deal if the three others do all they can to lower them. That is a game of two sides,
which alpha-beta search solves. A table remembers bounds of the positions in which a trick begins.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any, Final

from bots.solver.errors import HiddenCards, TooLong, Unsolvable
from bots.solver.graph import Bounds
from bots.solver.positions import refuse_impossible
from engine.cards import SUIT_MASK, mask_of
from engine.game import NOBODY, Game, Move
from engine.games.king import (
    HEART,
    KING_OF_HEARTS,
    NONE,
    PACK,
    PLAYERS,
    KingState,
    hands_by_seat,
    points_of,
    points_of_all,
)

_SUIT: Final = sum(255 << 32 * seat for seat in range(PLAYERS))
"""The clubs of all seats in `KingState.hands`."""


def bounds(game: Game, state: Any, most_nodes: int, open_hands: bool = False) -> dict[Move, Bounds]:
    """Return by legal move, as equal bounds, the points in this deal that the seat to move can force.

    Raise `Unsolvable`, and `TooLong` after `most_nodes` nodes.
    """
    _refuse(game, state, open_hands)
    found = _forced(TrickSearch(game, state, most_nodes), state)
    return {move: (value, value) for move, value in found.items()}


def _refuse(game: Game, state: Any, open_hands: bool) -> None:
    """Raise `Unsolvable` if this position has hidden cards or can't arise."""
    if state.terms.stock:
        raise HiddenCards(f"cards are hidden: {len(state.terms.stock)} are not dealt yet")
    hands = [mask_of(hand) for hand in hands_by_seat(state.hands)]
    lain = [mask_of(trick[1:]) for trick in (*state.tricks, state.trick)]
    refuse_impossible(game, (*hands, *lain))
    if sum(hands) + sum(lain) != mask_of(game.pack):
        raise Unsolvable("this position can't arise: cards are missing")
    if not open_hands:
        _refuse_unknown(state, hands)


def lines(game: Game, state: Any, most_nodes: int) -> dict[Move, list[Move]]:
    """Return the moves of best play after each legal move, as `bots.solver.lines` does."""
    _refuse(game, state, False)
    search = TrickSearch(game, state, most_nodes)
    return {move: _line(search, game.play(state, state.to_move, move)) for move in state.legal}


def _line(search: TrickSearch, state: Any) -> list[Move]:
    moves: list[Move] = []
    while state.to_move != NOBODY:
        found = _forced(search, state)
        choose = max if state.to_move == search.seat else min
        moves.append(choose(state.legal, key=found.__getitem__))
        state = search.game.play(state, state.to_move, moves[-1])
    return moves


def _forced(search: TrickSearch, state: KingState) -> dict[Move, int]:
    """Return by legal move the points of the deal that the search's seat can force after it."""
    scores = search.game.cut_short(state, ())
    left = points_of_all(state.terms.contract) - sum(scores)
    return {move: scores[search.seat] + search.after(state, move, left) for move in state.legal}


def _refuse_unknown(state: KingState, hands: list[int]) -> None:
    """Raise `Unsolvable` if, to the seat to move, the cards that are left could lie differently.

    It knows its own hand, the card that `declare last` showed, and what players lacked when they played. Two ways to
    deal the other cards differ by seats that hand each other a card in a circle.
    """
    possible, shown = _possible(state), 0 if state.terms.shown == NONE else 1 << state.terms.shown
    others = [seat for seat in range(PLAYERS) if seat != state.to_move]
    for first, *circle in (*combinations(others, 2), others, others[::-1]):
        circle = [first, *circle]
        if all(hands[giver] & possible[taker] & ~shown for giver, taker in pairwise([*circle, first])):
            raise HiddenCards(
                f"cards are hidden: seat {state.to_move} can't tell the others; pass `open_hands` to solve them open"
            )


def _possible(state: KingState) -> list[int]:
    """Return by seat the cards that its hand may hold after what it has played."""
    contract, found = state.terms.contract, [mask_of(PACK)] * PLAYERS
    for leader, *cards in (*state.tricks, state.trick):
        for place, card in enumerate(cards):
            seat = (leader + place) % PLAYERS
            if card & 3 != cards[0] & 3:
                found[seat] &= ~SUIT_MASK[cards[0] & 3]
                if contract.king_forced:
                    found[seat] &= ~(1 << KING_OF_HEARTS)
            elif not place and contract.hearts_last and card & 3 == HEART:
                found[seat] &= SUIT_MASK[HEART]
    return found


class TrickSearch:
    """A search for one seat. All values are its points in the rest of the deal."""

    def __init__(self, game: Game, state: KingState, most_nodes: int) -> None:
        self.game = game
        self.seat = state.to_move
        self._left = most_nodes
        contract, trump = state.terms.contract, state.terms.trump
        self._worth = [points_of(contract, 1, (card,)) for card in range(52)]
        """The points that each card adds to a trick, apart from a constant."""
        special = contract.heart or contract.king_of_hearts
        self._free = [suit for suit in range(4) if suit != trump and not (special and suit == HEART)]
        """The suits of equal rights."""
        self._ruled = [suit for suit in range(4) if suit not in self._free]
        self._at_least: dict[tuple[int, ...], int] = {}
        self._at_most: dict[tuple[int, ...], int] = {}

    def after(self, state: KingState, move: Move, left: int) -> int:
        """Return the value after a move. `left` are the points of all tricks to come."""
        return self._after(state, move, left, min(0, left), max(0, left))

    def _after(self, state: KingState, move: Move, left: int, alpha: int, beta: int) -> int:
        after: KingState = self.game.play(state, state.to_move, move)
        gained = 0
        if len(after.trick) == 1:
            number = len(after.tricks)
            points = points_of(state.terms.contract, number, after.tricks[number - 1][1:])
            left -= points
            if after.trick[0] == self.seat:
                gained = points
        if after.to_move == NOBODY:
            return gained
        return gained + self._value(after, left, alpha - gained, beta - gained)

    def _value(self, state: KingState, left: int, alpha: int, beta: int) -> int:
        """Return the value of a state, or a bound of it on the same side of the window."""
        lowest, highest = (left, 0) if left < 0 else (0, left)
        if lowest >= beta or lowest == highest:
            return lowest
        if highest <= alpha:
            return highest
        if len(state.trick) > 1:
            return self._best(state, left, alpha, beta)
        key = self._key(state)
        least, most = self._at_least.get(key, lowest), self._at_most.get(key, highest)
        if least >= beta or least == most:
            return least
        if most <= alpha:
            return most
        if not self._left:
            raise TooLong
        self._left -= 1
        alpha, beta = max(alpha, least), min(beta, most)
        best = self._best(state, left, alpha, beta)
        if best > alpha:
            self._at_least[key] = best
        if best < beta:
            self._at_most[key] = best
        return best

    def _best(self, state: KingState, left: int, alpha: int, beta: int) -> int:
        """Return the highest value for the seat itself, and the lowest for the others."""
        best, mine = 0, state.to_move == self.seat
        for number, move in enumerate(self._moves(state)):
            value = self._after(state, move, left, alpha, beta)
            if not number or (value > best if mine else value < best):
                best = value
                if mine:
                    alpha = max(alpha, value)
                else:
                    beta = min(beta, value)
                if alpha >= beta:
                    break
        return best

    def _moves(self, state: KingState) -> list[Move]:
        """Return the legal moves, without cards that are as good as a neighbour in the same hand."""
        hands = state.hands
        live = hands | hands >> 32 | hands >> 64 | hands >> 96
        for card in state.trick[1:]:
            live |= 1 << _place(card)
        moves: list[Move] = []
        before = NONE
        for card in state.legal:
            alike = before != NONE and before & 3 == card & 3 and self._worth[before] == self._worth[card]
            if not alike or live >> _place(before) + 1 & (1 << (card - before >> 2) - 1) - 1:
                moves.append(card)
            before = card
        return moves

    def _key(self, state: KingState) -> tuple[int, ...]:
        """Return a key of the hands and the leader that does not depend on the names of the free suits."""
        hands = state.hands
        free = sorted([hands >> 8 * suit & _SUIT for suit in self._free])
        return (state.to_move, *[hands >> 8 * suit & _SUIT for suit in self._ruled], *free)


def _place(card: int) -> int:
    """Return the bit of a card in a hand of `KingState`."""
    return 8 * (card & 3) + (card - PACK[0] >> 2)
