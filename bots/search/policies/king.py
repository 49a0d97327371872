"""King: reading its events, and its playout policy, which follows `greedy` on the engine's own ints."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from bots.search.determinization import DeckKnowledge, Events
from bots.search.policies._king import KingDeal
from engine.cards import CARD_OF_TEXT, SUIT_MASK, mask_of
from engine.game import Game, Move
from engine.games.king import (
    CONTRACTS,
    DECLARATIONS,
    HEART,
    IN_REVERSE,
    KING_OF_HEARTS,
    LAST,
    PACK,
    PLAYERS,
    Contract,
    KingState,
)

DARING: Final = 0.1
"""The probability of a random move in a playout."""

PACKETS: Final = (2, 2, 2, 2)
PACKETS_WITH_DECLARATION: Final = (3, 2, 2, 1)
EIGHTH: Final = 28
"""The place in the deck of the eighth card of the player on the dealer's left."""


# The deck


def read(knowledge: DeckKnowledge, events: Events) -> None:
    """Read a deal in packets, and the cards that the play excludes: failing to follow suit reveals a void."""
    contract = CONTRACTS[knowledge.number - 1]
    first = (knowledge.dealer + 1) % PLAYERS
    packets = PACKETS_WITH_DECLARATION if contract.declared else PACKETS
    order = [(first + place) % PLAYERS for size in packets for place in range(PLAYERS) for _ in range(size)]
    dealt = 3 * PLAYERS if contract.declared else len(PACK)
    _receive(knowledge, order, range(dealt))
    lacks = _Lacks(contract)
    for event in events:
        kind = event["type"]
        if kind == "move":
            knowledge.move(event)
            lacks.move(event["seat"], event["move"])
        elif kind == "dealt":
            if event["hand_sizes"][0] > 3 and dealt < len(PACK):
                before = knowledge.received[knowledge.seat]
                _receive(knowledge, order, range(dealt, len(PACK)))
                knowledge.locate(event["hand"], knowledge.received[knowledge.seat] & ~before)
            else:
                knowledge.locate(event["hand"], knowledge.received[knowledge.seat])
        elif kind == "declared" and event["trump_card"] is not None:
            knowledge.places[CARD_OF_TEXT[event["trump_card"]]] = 1 << EIGHTH
    for seat, cards in enumerate(lacks.by_seat):
        hidden = [card for card in PACK if cards >> card & 1 and card not in knowledge.places]
        knowledge.exclude(hidden, knowledge.received[seat])


def _receive(knowledge: DeckKnowledge, order: Sequence[int], places: Sequence[int]) -> None:
    for seat in range(PLAYERS):
        knowledge.receive(seat, [place for place in places if order[place] == seat])


class _Lacks:
    """The cards that each seat has revealed not to hold."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.by_seat = [0] * PLAYERS
        self._trick: list[int] = []

    def move(self, seat: int, text: str) -> None:
        """Record a move: a card of another suit than the one led, or a heart led under the restriction on hearts."""
        verb, word = text.split(" ")
        if verb != "play":
            return
        card = CARD_OF_TEXT[word]
        if not self._trick:
            if self._contract.hearts_last and card & 3 == HEART:
                self.by_seat[seat] |= mask_of(PACK) & ~SUIT_MASK[HEART]
        elif card & 3 != self._trick[0] & 3:
            self.by_seat[seat] |= SUIT_MASK[self._trick[0] & 3]
            if self._contract.king_forced and card != KING_OF_HEARTS:
                self.by_seat[seat] |= 1 << KING_OF_HEARTS
        self._trick = [] if len(self._trick) == PLAYERS - 1 else [*self._trick, card]


# The moves


def candidates(game: Game, state: KingState, most: int) -> Sequence[Move]:
    """Return all legal moves: at most eight."""
    return state.legal


def default(game: Game, state: KingState) -> Move | None:
    """Return the card of the fitted weights. A declaration is left to `greedy`."""
    return None if state.terms.stock else KingDeal(state, fitted=True).card()


def player(game: Game, rng: Random) -> Any:
    return KingPlayer(rng)


class KingPlayer:
    """The playout policy, with the weights of `greedy`."""

    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def __call__(self, state: KingState) -> Move:
        legal = state.legal
        if len(legal) == 1:
            return legal[0]
        chance = self._random()
        if chance < DARING:
            return legal[int(chance / DARING * len(legal))]
        return _declared(state) if state.terms.stock else KingDeal(state, fitted=False).card()


def _declared(state: KingState) -> Move:
    """Return `miser` with low cards, else the strongest suit, or `last` if none is strong."""
    seat = state.to_move
    hand = state.hands >> 32 * seat
    strength, ranks = [0, 0, 0, 0], 0
    for suit in range(4):
        byte = hand >> 8 * suit & 255
        for rank in range(8):
            if byte >> rank & 1:
                strength[suit] += 5 + rank
                ranks += rank
    if ranks <= 7:
        return IN_REVERSE
    best = max(range(4), key=strength.__getitem__)
    return DECLARATIONS[best] if strength[best] >= 10 else LAST


# The value of a position

DEPTH: Final = 0


def estimate(game: Game, state: KingState) -> Sequence[float] | None:
    """Return the points if all play on with the fitted weights. There is no estimate of a declaration."""
    return None if state.terms.stock else KingDeal(state, fitted=True).play_on(game.returns(state))
