"""Many deals of King at once, as NumPy arrays, and the features that a seat sees of them.

All deals of a `Tables` have one kind and stand at the same card of the play. A card is `8 * suit + rank`, the 7 has
rank 0. In a deal with trumps, clubs are trumps. A deal with another trump suit swaps it with clubs first.

Training plays whole deals. A bot has one deal, in which the other hands are empty: it replays the cards played, and
reads the same features. They use the hand of the seat to move and what everybody has seen, and nothing else.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.king import CONTRACTS, HEART, PLAYERS, TRICKS, Contract, points_of, points_of_all

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

CARDS: Final = 32
KING_OF_HEARTS: Final = 8 * HEART + 6
WIDTH: Final = 9 * CARDS + PLAYERS + TRICKS + 1
"""The number of features."""
_TRIES: Final = 32
_DRAWS: Final = 16
"""Random hands are drawn this many times as many as wanted, at most so often."""
_SUIT: Final[Bools] = np.repeat(np.eye(4, dtype=bool), 8, axis=1)
"""By suit, its cards."""


def engine_card(card: int) -> int:
    """Return the card as the engine numbers it."""
    return 4 * (card % 8) + card // 8 + 20


def table_card(card: int) -> int:
    """Return the card of the engine as tables number it."""
    return 8 * (card & 3) + (card - 20 >> 2)


class DealKind(NamedTuple):
    """What is the same in all deals of a `Tables`."""

    name: str
    contract: Contract
    trumps: bool = False
    miser: bool = False

    @property
    def total(self) -> int:
        """The sum of the points of all tricks, without its sign."""
        return abs(points_of_all(self.contract))


KINDS: Final = (
    *[DealKind(contract.name, contract) for contract in CONTRACTS[:7]],
    DealKind("trumps", CONTRACTS[7], trumps=True),
    DealKind("miser", CONTRACTS[7], miser=True),
    DealKind("positive_yeralash", CONTRACTS[11]),
)


def _strengths(kind: DealKind) -> Ints:
    """Return by suit led and card its strength in a trick: the highest takes it, 0 cannot take."""
    ranks = np.arange(CARDS) % 8
    followed = np.where(_SUIT, 1 + (7 - ranks if kind.miser else ranks), 0)
    if kind.trumps:
        followed = np.where(_SUIT[0], 100 + ranks, followed)
    return followed


class Tables:
    """Deals in play. `hands` holds by deal and seat the cards in hand."""

    def __init__(self, kind: DealKind, hands: Bools, first: Ints) -> None:
        deals = len(hands)
        self.kind, self.hands, self.to_move = kind, hands, first
        self.may = np.ones((deals, PLAYERS, CARDS), bool)
        """By deal and seat, the cards that may be in this hand, as far as everybody knows."""
        self.taken = np.zeros((deals, PLAYERS), np.float32)
        """By deal and seat, the points taken since this table was made."""
        self._trick = np.zeros((deals, PLAYERS, CARDS), bool)
        self._led = np.zeros(deals, np.int64)
        self._best = np.zeros(deals, np.int64)
        self._taker = first
        self._points = np.zeros(deals, np.float32)
        self.cards = 0
        """The number of cards played in each deal."""
        self._rows = np.arange(deals)
        self._strengths = _strengths(kind)
        self._worth = np.array(
            [points_of(kind.contract, 1, [engine_card(card)]) - kind.contract.trick for card in range(CARDS)],
            np.float32,
        )

    def dealt_again(self, hands: Bools) -> Tables:
        """Return copies of a single deal in play, with other hands."""
        deals = len(hands)
        copies = Tables(self.kind, hands, np.repeat(self.to_move, deals))
        copies.may, copies._trick = np.repeat(self.may, deals, axis=0), np.repeat(self._trick, deals, axis=0)
        copies._led, copies._best = np.repeat(self._led, deals), np.repeat(self._best, deals)
        copies._taker, copies._points = np.repeat(self._taker, deals), np.repeat(self._points, deals)
        copies.cards = self.cards
        return copies

    def imagined(self, wanted: int, rng: np.random.Generator) -> Bools:
        """Return hands of the only deal as its seat to move may imagine them, all equally likely: at most `wanted`.

        They are the random ones that fit. Where hardly any fit there are fewer, at worst none.
        """
        seat = int(self.to_move[0])
        own, may = self.hands[0, seat], self.may[0] & ~self.hands[0, seat]
        may[seat] = False
        cards = np.flatnonzero(may.any(0))
        left = TRICKS - self.cards // PLAYERS
        gone = {(seat - back) % PLAYERS for back in range(1, self.cards % PLAYERS + 1)}
        places = [other for other in range(PLAYERS) if other != seat for _ in range(left - (other in gone))]
        fit = np.empty((0, len(cards)), np.int64)
        for _ in range(_TRIES):
            owners = rng.permuted(np.tile(np.array(places, np.int64), (_DRAWS * wanted, 1)), axis=1)
            fit = np.concatenate([fit, owners[may[owners, cards].all(1)]])[:wanted]
            if len(fit) == wanted:
                break
        hands = np.zeros((len(fit), PLAYERS, CARDS), bool)
        hands[np.arange(len(fit))[:, None], fit, cards] = True
        hands[:, seat] = own
        return hands

    def show(self, seat: Ints, card: Ints) -> None:
        """Show a card in a hand to everybody."""
        self.may[self._rows, :, card] = False
        self.may[self._rows, seat, card] = True

    def legal(self) -> Bools:
        """Return by deal the legal cards of the seat to move."""
        hand, contract = self.hands[self._rows, self.to_move], self.kind.contract
        if not self.cards % PLAYERS:
            first = hand & ~_SUIT[HEART] if contract.hearts_last else hand
        else:
            first = hand & _SUIT[self._led]
            if contract.king_forced:
                forced = ~first.any(1) & hand[:, KING_OF_HEARTS]
                first[forced, KING_OF_HEARTS] = True
        return np.where(first.any(1, keepdims=True), first, hand)

    def features(self, legal: Bools) -> Floats:
        """Return by deal what the seat to move sees, other seats in the order of turns."""
        rows, seat, place = self._rows, self.to_move, self.cards % PLAYERS
        others = (seat[:, None] + np.arange(1, PLAYERS)) % PLAYERS
        hand = self.hands[rows, seat]
        found = np.zeros((len(rows), WIDTH), np.float32)
        planes = found[:, : 9 * CARDS].reshape(-1, 9, CARDS)
        planes[:, 0], planes[:, 1] = hand, legal
        planes[:, 2] = legal & (self._strengths[self._led] > self._best[:, None]) if place else False
        planes[:, 3:6] = self.may[rows[:, None], others] & ~hand[:, None]
        planes[:, 6:9] = self._trick[rows[:, None], others]
        found[:, 9 * CARDS + place] = 1
        found[:, 9 * CARDS + PLAYERS + self.cards // PLAYERS] = 1
        found[:, -1] = self._points / self.kind.total
        return found

    def play(self, card: Ints) -> None:
        """Play a card in every deal."""
        rows, seat, place = self._rows, self.to_move, self.cards % PLAYERS
        if not place:
            self._begin(card)
        else:
            self._reveal(seat, card)
        strength = self._strengths[self._led, card]
        better = strength > self._best
        self._best = np.where(better, strength, self._best)
        self._taker = np.where(better, seat, self._taker)
        self._points = self._points + self._worth[card]
        self.hands[rows, seat, card] = False
        self.may[rows, :, card] = False
        self._trick[rows, seat, card] = True
        self.cards += 1
        self.to_move = (seat + 1) % PLAYERS
        if place == PLAYERS - 1:
            self.to_move = self._taker
            self.taken[rows, self._taker] += self._points

    def _begin(self, card: Ints) -> None:
        contract = self.kind.contract
        self._trick[:] = False
        self._led = card // 8
        self._best = np.zeros(len(card), np.int64)
        last = contract.last_two if self.cards >= PLAYERS * (TRICKS - 2) else 0
        self._points = np.full(len(card), contract.trick + last, np.float32)
        if contract.hearts_last:
            self._lack(self._led == HEART, self.to_move, ~_SUIT[HEART])

    def _reveal(self, seat: Ints, card: Ints) -> None:
        void = card // 8 != self._led
        self._lack(void, seat, _SUIT[self._led[void]])
        if self.kind.contract.king_forced:
            self.may[void, seat[void], KING_OF_HEARTS] = False

    def _lack(self, deals: Bools, seat: Ints, cards: Bools) -> None:
        self.may[deals, seat[deals]] &= ~cards


def dealt(kind: DealKind, deals: int, rng: np.random.Generator) -> Tables:
    """Return tables after the deal. The declarer of a trump mostly takes the strongest suit of three cards."""
    wanted = 8 * deals if kind.miser else deals
    decks = rng.permuted(np.tile(np.arange(CARDS), (wanted, 1)), axis=1)
    if kind.miser:
        low = (decks[:, :3] % 8).sum(1) <= rng.integers(6, 11, wanted)
        decks = decks[np.argsort(~low, kind="stable")[:deals]]
    first = rng.integers(0, PLAYERS, deals)
    shown = None
    if kind.trumps:
        decks, last = _declared(decks, rng)
        shown = np.where(last, decks[:, 7], -1)
    hands = np.zeros((deals, PLAYERS, CARDS), bool)
    seats = (first[:, None] + np.arange(CARDS) // TRICKS) % PLAYERS
    hands[np.arange(deals)[:, None], seats, decks] = True
    tables = Tables(kind, hands, first)
    if shown is not None:
        some = shown >= 0
        tables.may[some, :, shown[some]] = False
        tables.may[some, first[some], shown[some]] = True
    return tables


def _declared(decks: Ints, rng: np.random.Generator) -> tuple[Ints, Bools]:
    """Return the decks with clubs and trumps swapped, and where the declarer said `last`."""
    deals = len(decks)
    strength = np.zeros((deals, 4))
    for place in range(3):
        strength[np.arange(deals), decks[:, place] // 8] += 5 + decks[:, place] % 8
    suit = strength.argmax(1)
    at_random = rng.random(deals) < 0.15
    suit = np.where(at_random, rng.integers(0, 4, deals), suit)
    last = ~at_random & (strength.max(1) < rng.integers(8, 17, deals))
    suit = np.where(last, decks[:, 7] // 8, suit)
    return swapped(decks, suit[:, None]), last


def swapped(cards: Any, suit: Any) -> Any:
    """Return the cards with clubs and this suit swapped."""
    of = cards // 8
    return cards % 8 + 8 * np.where(of == suit, 0, np.where(of == 0, suit, of))
