"""King: what its events tell of the deck, and a quick way to play on.

Playouts know nothing of counting cards. Where points are bad they duck under the trick with the highest card that
does, throw away what is most dangerous, and lead low; where points are good they take with the cheapest card that does,
as the last player, or with the highest, and throw away what is worth least.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

from bots.search.puzzle import Events, Puzzle
from bots.search.settings import Settings
from engine.cards import CARD_OF_TEXT, SUIT_MASK, mask_of
from engine.game import Game, Move
from engine.games.king import (
    CONTRACTS,
    DECLARATIONS,
    HEART,
    IN_REVERSE,
    KING_OF_HEARTS,
    LAST,
    MISER,
    PACK,
    PLAYERS,
    Contract,
    KingState,
    points_of,
)

SETTINGS = Settings()

DARING: Final = 0.1
"""How often a playout takes any legal move."""

PACKETS: Final = (2, 2, 2, 2)
PACKETS_WITH_DECLARATION: Final = (3, 2, 2, 1)
EIGHTH: Final = 28
"""Where in the deck the eighth card of the player on the dealer's left is."""


# The deck


def read(puzzle: Puzzle, events: Events) -> None:
    """Packets, and then all that play forbids: who does not follow suit has none, and so on."""
    contract = CONTRACTS[puzzle.number - 1]
    first = (puzzle.dealer + 1) % PLAYERS
    packets = PACKETS_WITH_DECLARATION if contract.declared else PACKETS
    order = [(first + place) % PLAYERS for size in packets for place in range(PLAYERS) for _ in range(size)]
    dealt = 3 * PLAYERS if contract.declared else len(PACK)
    _receive(puzzle, order, range(dealt))
    lacks = _Lacks(contract)
    for event in events:
        kind = event["type"]
        if kind == "move":
            puzzle.move(event)
            lacks.move(event["seat"], event["move"])
        elif kind == "dealt":
            if event["hand_sizes"][0] > 3 and dealt < len(PACK):
                before = puzzle.received[puzzle.seat]
                _receive(puzzle, order, range(dealt, len(PACK)))
                puzzle.locate(event["hand"], puzzle.received[puzzle.seat] & ~before)
            else:
                puzzle.locate(event["hand"], puzzle.received[puzzle.seat])
        elif kind == "declared" and event["trump_card"] is not None:
            puzzle.places[CARD_OF_TEXT[event["trump_card"]]] = 1 << EIGHTH
    for seat, cards in enumerate(lacks.by_seat):
        hidden = [card for card in PACK if cards >> card & 1 and card not in puzzle.places]
        puzzle.exclude(hidden, puzzle.received[seat])


def _receive(puzzle: Puzzle, order: Sequence[int], places: Sequence[int]) -> None:
    for seat in range(PLAYERS):
        puzzle.receive(seat, [place for place in places if order[place] == seat])


class _Lacks:
    """What each seat has shown not to hold, beyond what it has played."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.by_seat = [0] * PLAYERS
        self._trick: list[int] = []

    def move(self, seat: int, text: str) -> None:
        """A card played in answer to a lead of another suit, or a heart led where hearts come last."""
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
    """All of them, eight at most."""
    return state.legal


def player(game: Game, rng: Random) -> Any:
    """See the module."""
    return _Player(rng)


@cache
def _worths(contract: Contract) -> tuple[float, ...]:
    """By card, the points that lie in it itself."""
    return tuple(float(points_of(contract, 1, [card]) - contract.trick) for card in range(52))


@cache
def _heights(trump: int, led: int) -> tuple[int, ...]:
    """By card, its height in a trick that this suit leads; 0 cannot take."""
    ranks = [52 - card if trump == MISER else card for card in range(52)]
    return tuple(
        100 + rank if card & 3 == trump else 1 + rank if card & 3 == led else 0
        for card, rank in enumerate(ranks)
    )


@cache
def _dangers(contract: Contract, trump: int) -> tuple[float, ...]:
    """By card, how gladly it is thrown away: points that it may bring, then its rank."""
    worths = _worths(contract)
    sign = 1.0 if contract.trick > 0 else -1.0
    king, hearts = contract.king_of_hearts, contract.heart
    found = []
    for card in range(52):
        rank = (12 - (card >> 2) if trump == MISER else card >> 2) + (9 if card & 3 == trump else 0)
        danger = -sign * rank - worths[card] * 3
        if king and card & 3 == HEART and card > KING_OF_HEARTS:
            danger -= sign * 8
        if hearts and card & 3 == HEART:
            danger -= sign * 3
        found.append(danger)
    return tuple(found)


class _Player:
    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def __call__(self, state: KingState) -> Move:
        _, legal, _, trick, tricks, terms = state
        if len(legal) == 1:
            return legal[0]
        chance = self._random()
        if chance < DARING:
            return legal[int(chance / DARING * len(legal))]
        if terms.stock:
            return _declared(state)
        contract, trump = terms.contract, terms.trump
        dangers = _dangers(contract, trump)
        if len(trick) == 1:
            return self._lead(state, dangers)
        heights = _heights(trump, trick[1] & 3)
        best = max([heights[card] for card in trick[1:]])
        under = [card for card in legal if heights[card] < best]
        over = [card for card in legal if heights[card] > best]
        last = len(trick) == PLAYERS
        bad = contract.trick < 0 or contract.heart < 0 or contract.jack < 0 or contract.queen < 0
        bad = bad or contract.king_of_hearts < 0 or (contract.last_two < 0 and len(tricks) >= 6)
        if contract.last_two < 0 and not bad:
            # Until the last two tricks, get rid of what takes tricks.
            return max(legal, key=dangers.__getitem__)
        if bad:
            if under:
                return max(under, key=dangers.__getitem__)
            worths = _worths(contract)
            if last:
                return max(legal, key=lambda card: (worths[card], heights[card]))
            return min(legal, key=heights.__getitem__)
        if over:
            return min(over, key=heights.__getitem__) if last else max(over, key=heights.__getitem__)
        return max(legal, key=dangers.__getitem__)

    def _lead(self, state: KingState, dangers: Sequence[float]) -> Move:
        contract, legal = state.terms.contract, state.legal
        if contract.last_two < 0 and contract.trick == 0 and len(state.tricks) < 6:
            return max(legal, key=dangers.__getitem__)
        # Where points are bad, the least dangerous is led; where they are good, the dearest: the same card.
        return min(legal, key=dangers.__getitem__)


def _declared(state: KingState) -> Move:
    """A suit that is longest and highest among the three, or a miser with low cards; see `greedy`."""
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
