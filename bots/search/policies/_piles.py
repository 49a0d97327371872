"""The playout policy of both pile games: the heuristic of `greedy` on the engine's own ints.

Unlike `greedy` it scores every pair of cards, so that the search can consider the best few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple

from engine.cards import cards_of
from engine.game import Game, Move
from engine.pile import ALONE, PICKUP, PileState

DARING: Final = 0.05
"""The probability of a random move in a playout."""


class PileView(NamedTuple):
    """The lookup tables for a seat and the next player."""

    price: Sequence[float]
    """By card, its value when kept."""
    own_beaters: Sequence[int]
    """By card, the cards with which this seat beats it."""
    beaters: Sequence[int]
    """By card, the cards with which the next player beats it."""
    burden: Sequence[int]
    """By top card, the number of cards that the next player picks up."""


Rules = Callable[[int, int], PileView]
"""A function of the seat and the next player's seat."""


def _following(state: PileState, seat: int) -> int:
    """Return the next player with cards."""
    hands = state.hands
    seats = len(hands)
    for step in range(1, seats):
        if hands[(seat + step) % seats]:
            return (seat + step) % seats
    return seat


def _on_top(pile: PileView, state: PileState, seat: int, following: int, cards: Sequence[int]) -> list[float]:
    """Return the value of each of these cards as the top card."""
    hands, seen = state.hands, state.seen
    theirs = hands[following] & seen
    located = hands[seat]
    for hand in hands:
        located |= hand & seen
    hidden = sum([hand.bit_count() for hand in hands]) - located.bit_count() + len(state.stock)
    share = (hands[following].bit_count() - theirs.bit_count()) / hidden if hidden > 0 else 0.0
    price, _, beaters, burden = pile
    depth, lacks, unseen = len(state.pile) + 2, 1.0 - share, ~located
    worths = []
    for card in cards:
        over = beaters[card]
        worth = -price[card]
        if not over & theirs:
            brings = burden[card]
            worth += lacks ** (over & unseen).bit_count() * min(brings, depth)
        worths.append(worth)
    return worths


class PilePlayer:
    """The playout policy, following `bots.house.greedy._piles`."""

    def __init__(self, game: Game, rng: Random, rules: Rules) -> None:
        self._random, self._rules = rng.random, rules

    def __call__(self, state: PileState) -> Move:
        legal, seat = state.legal, state.to_move
        if len(legal) == 1:
            return legal[0]
        chance = self._random()
        if chance < DARING:
            return legal[int(chance / DARING * len(legal))]
        following = _following(state, seat)
        pile = self._rules(seat, following)
        hand = state.hands[seat]
        if legal[0] != PICKUP:
            cards = cards_of(hand)
            worths = _on_top(pile, state, seat, following, cards)
            return cards[worths.index(max(worths))]
        price = pile.price
        beater = min(cards_of(hand & pile.own_beaters[state.pile[-1]]), key=price.__getitem__)
        rest = cards_of(hand ^ 1 << beater)
        if not rest:
            return beater + 1 << 6 | ALONE
        worths = _on_top(pile, state, seat, following, rest)
        return beater + 1 << 6 | rest[worths.index(max(worths))]


def candidates(rules: Rules, state: PileState, most: int) -> Sequence[Move]:
    """Return the pickup and the beats with the highest scores."""
    legal, seat = state.legal, state.to_move
    if len(legal) <= most:
        return legal
    following = _following(state, seat)
    pile = rules(seat, following)
    cards = cards_of(state.hands[seat])
    worth = dict(zip(cards, _on_top(pile, state, seat, following, cards), strict=True))
    price = pile.price

    def promise(move: Move) -> float:
        if move == PICKUP:
            return 1e9
        if move < PICKUP:
            return worth[move]
        under, top = (move >> 6) - 1, move & 63
        return worth.get(top, 0.0) - price[under]

    return sorted(legal, key=promise, reverse=True)[:most]


# The value of a position

DEPTH: Final = 8
"""The number of moves after which a playout may end at an estimate."""
TURN: Final = -0.14
"""The weight of the turn."""
STUCK: Final = 0.3
"""The weight of a top card that the seat to move cannot beat."""
PILE: Final = 0.1
"""The weight of each card that it picks up then, up to three."""


def burdens(state: PileState, weights: Sequence[Sequence[float]]) -> list[float]:
    """Return the burdens of the hands, with the weights of the cards by seat."""
    found = []
    for seat, hand in enumerate(state.hands):
        burden = 0.0
        for card in cards_of(hand):
            burden += weights[seat][card]
        found.append(burden)
    found[state.to_move] += TURN
    if len(state.legal) == 1 and state.legal[0] == PICKUP:
        found[state.to_move] += STUCK + PILE * min(len(state.pile), 3)
    return found
