"""King: reading its events, and its playout policy, which follows `greedy` on the engine's own ints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

from bots.search.determinization import DeckKnowledge, Events
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
    NO_TRUMP,
    PACK,
    PLAYERS,
    Contract,
    KingState,
    points_of,
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


def player(game: Game, rng: Random) -> Any:
    return KingPlayer(rng)


@cache
def _worths(contract: Contract) -> tuple[float, ...]:
    return tuple(float(points_of(contract, 1, [card]) - contract.trick) for card in range(52))


@cache
def _heights(trump: int, led: int) -> tuple[int, ...]:
    """Return, by card, its strength in a trick with this suit led; 0 cannot take."""
    ranks = [52 - card if trump == MISER else card for card in range(52)]
    return tuple(
        100 + rank if card & 3 == trump else 1 + rank if card & 3 == led else 0
        for card, rank in enumerate(ranks)
    )


class KingPlayer:
    """The playout policy, with the values of `bots.house.greedy.king`."""

    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def __call__(self, state: KingState) -> Move:
        seat, legal, hands, trick, tricks, terms = state
        if len(legal) == 1:
            return legal[0]
        chance = self._random()
        if chance < DARING:
            return legal[int(chance / DARING * len(legal))]
        if terms.stock:
            return _declared(state)
        contract, trump = terms.contract, terms.trump
        worths = _worths(contract)
        own = hands >> 32 * seat & _ALL
        # Together the other three hands are public knowledge: the unseen cards.
        unseen = (hands | hands >> 32 | hands >> 64 | hands >> 96) & _ALL & ~own
        per_card = _hidden(contract, unseen) / unseen.bit_count() if unseen else 0.0
        left, behind = 7 - len(tricks), 4 - len(trick)
        now = contract.trick + (contract.last_two if left < 2 else 0) + per_card * behind
        later = contract.trick + 3 * per_card
        if left:
            later += contract.last_two * min(left, 2) / left
        wanted, miser, trumps = contract.trick > 0, trump == MISER, trump < NO_TRUMP
        if behind < 3:
            led, heights = trick[1] & 3, _heights(trump, trick[1] & 3)
            highest = max([heights[card] for card in trick[1:]])
        else:
            led, heights, highest = -1, (), 0
        now += sum([worths[card] for card in trick[1:]])
        trumps_out = trumps and unseen >> 8 * trump & 255 != 0
        best, chosen = -1e9, legal[0]
        for card in legal:
            suit, bit = card & 3, 1 << (card - 20 >> 2)
            same = unseen >> 8 * suit & 255
            under = (same & bit - 1).bit_count()
            over = same.bit_count() - under
            if miser:
                under, over = over, under
            if led < 0:
                takes = _leads(over, under, wanted, trumps_out and suit != trump)
            elif heights[card] <= highest:
                takes = 0.0
            elif behind:
                rivals = over if wanted else min(over, 2)
                if wanted and trumps_out and suit == led != trump:
                    rivals += 1
                takes = (1 - behind / 3) ** rivals
            else:
                takes = 1.0
            if not wanted:
                kept = under / (over + under) if same else 0.5
            elif suit == trump:
                kept = 0.9 ** (1 + over)
            else:
                kept = 0.5**over * (0.7 if trumps else 0.9)
            worth = worths[card]
            value = takes * (now + worth) - kept * later - worth * (0.25 + 0.5 * kept)
            if not wanted:
                value += 1.0 / (own >> 8 * suit & 255).bit_count()  # prefer short suits
            if value > best:
                best, chosen = value, card
        return chosen


def _leads(over: int, under: int, wanted: bool, ruffs: bool) -> float:
    """Return the probability that a card takes the trick that it leads."""
    if not wanted:
        return under / (over + under) if over + under else 1.0
    if over:
        return 0.25 / over
    return min(1.0, 0.3 + 0.15 * under) if ruffs else 1.0


def _hidden(contract: Contract, unseen: int) -> float:
    return (
        contract.heart * (unseen & _HEARTS).bit_count()
        + contract.jack * (unseen & _JACKS).bit_count()
        + contract.queen * (unseen & _QUEENS).bit_count()
        + contract.king_of_hearts * (unseen & _KING_OF_HEARTS).bit_count()
    )


# A hand in a state has a byte for each suit, and in it a bit for each rank from the 7.
_ALL: Final = (1 << 32) - 1
_HEARTS: Final = 255 << 16
_JACKS: Final = 0x01010101 << 4
_QUEENS: Final = 0x01010101 << 5
_KING_OF_HEARTS: Final = 1 << 16 + 6


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
