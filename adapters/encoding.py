"""Observations as numbers: each field of `Game.observe` in a stretch of its own, of a length that the table fixes.

What is encoded is the observation and nothing else, so it can tell a seat no more than the seat sees. All numbers lie
between -1 and 1. Left out are what the table fixes (`turn_limit`) and the order of the cards in a list.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adapters.table import Table
from engine.cards import CARD_TEXT, SUITS

Row = NDArray[np.float32]


class Sizes(NamedTuple):
    """What the table fixes."""

    seats: int
    place: Mapping[str, int]
    """By card, its place in the pack."""
    deals: int
    turn_limit: int
    points: int
    """The most that a match can bring or cost."""

    @property
    def pack(self) -> int:
        return len(self.place)


class Kind(NamedTuple):
    """How a field becomes numbers: their shape, and what writes a value that is not null over zeros."""

    shape: Callable[[Sizes], tuple[int, ...]]
    write: Callable[[Row, Any, Sizes], None]


# 1. The kinds of fields


def _by_seat(sizes: Sizes) -> tuple[int, ...]:
    return (sizes.seats,)


def _seats(row: Row, value: int | list[int], sizes: Sizes) -> None:
    row[value] = 1


def _card(row: Row, value: str, sizes: Sizes) -> None:
    row[sizes.place[value]] = 1


def _cards(row: Row, value: list[str], sizes: Sizes) -> None:
    row[[sizes.place[card] for card in value]] = 1


def _hands(row: Row, value: list[list[str]], sizes: Sizes) -> None:
    for seat, cards in enumerate(value):
        _cards(row[seat], cards, sizes)


def _suits(row: Row, value: list[str], sizes: Sizes) -> None:
    for seat, suit in enumerate(value):
        row[seat, SUITS.index(suit)] = 1


def _pairs(row: Row, value: list[list[str | None]], sizes: Sizes) -> None:
    for place, pair in enumerate(value):
        for side, card in enumerate(pair):
            if card is not None:
                _card(row[place, side], card, sizes)


def _plays(row: Row, value: list[tuple[int, str]], sizes: Sizes) -> None:
    for place, (seat, card) in enumerate(value):
        row[place, seat] = row[place, sizes.seats + sizes.place[card]] = 1


def _gifts(row: Row, value: list[dict[str, Any]], sizes: Sizes) -> None:
    for gift in value:
        _card(row[gift["giver"], 0], gift["card"], sizes)
        _card(row[gift["receiver"], 1], gift["card"], sizes)


def _spelt(row: Row, value: str, sizes: Sizes) -> None:
    _cards(row, value.split(" ")[1:], sizes)


SEAT: Final = Kind(_by_seat, _seats)
"""A seat, or a list of seats."""
CARD: Final = Kind(lambda sizes: (sizes.pack,), _card)
CARDS: Final = Kind(lambda sizes: (sizes.pack,), _cards)
HANDS: Final = Kind(lambda sizes: (sizes.seats, sizes.pack), _hands)
"""By seat, a list of cards."""
SUITS_BY_SEAT: Final = Kind(lambda sizes: (sizes.seats, len(SUITS)), _suits)
PAIRS: Final = Kind(lambda sizes: (6, 2, sizes.pack), _pairs)
"""At most six attack cards, each with the card that beats it."""
PLAYS: Final = Kind(lambda sizes: (4, sizes.seats + sizes.pack), _plays)
"""At most four cards, each with the seat that played it."""
GIFTS: Final = Kind(lambda sizes: (sizes.seats, 2, sizes.pack), _gifts)
"""By seat, the cards given away, and those received."""
SPELT: Final = Kind(lambda sizes: (sizes.pack,), _spelt)
FIXED: Final = Kind(lambda sizes: (0,), lambda row, value, sizes: None)
"""What the table fixes."""


def _share(
    of: Callable[[Sizes], int], shape: Callable[[Sizes], tuple[int, ...]] = lambda sizes: (1,)
) -> Kind:
    """A number, or one for each seat, as a share of the most that it can be."""

    def write(row: Row, value: Any, sizes: Sizes) -> None:
        row[:] = np.asarray(value, np.float32) / of(sizes)

    return Kind(shape, write)


def _among(*words: str) -> Kind:
    """One of these words."""

    def write(row: Row, value: str, sizes: Sizes) -> None:
        row[words.index(value)] = 1

    return Kind(lambda sizes: (len(words),), write)


COUNT: Final = _share(lambda sizes: sizes.pack)
COUNTS: Final = _share(lambda sizes: sizes.pack, _by_seat)
"""Cards or tricks; by seat."""
POINTS: Final = _share(lambda sizes: sizes.points, _by_seat)
FLAG: Final = _share(lambda sizes: 1)
SUIT: Final = _among(*SUITS)

# 2. The fields of all games. A game that brings a new one adds it here; a test says so.

FIELDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "anti_trump": SUIT,
        "attacker": SEAT,
        "contract": _among(
            "no_tricks",
            "no_hearts",
            "no_jacks",
            "no_queens",
            "no_last_two",
            "no_king_of_hearts",
            "negative_yeralash",
            "khvalenka",
            "positive_yeralash",
        ),
        "deal": _share(lambda sizes: sizes.deals),
        "deal_scores": POINTS,
        "dealer": SEAT,
        "declared": _among(*SUITS, "last", "miser"),
        "defender": SEAT,
        "discard": COUNT,
        "entitled": SEAT,
        "given": GIFTS,
        "hand": CARDS,
        "hand_sizes": COUNTS,
        "hands": HANDS,
        "known": HANDS,
        "last_trick": PLAYS,
        "lowest_rank": FIXED,
        "miser": FLAG,
        "moves_made": _share(lambda sizes: sizes.turn_limit),
        "out": SEAT,
        "pairs": PAIRS,
        "pickup": CARDS,
        "pile": COUNT,
        "question": _among(
            *("attack", "throw", "defend", "give", "exchange"),
            *("lead", "beat", "free_lead"),
            *("declare", "play"),
        ),
        "room": COUNT,
        "scores": POINTS,
        "seat": SEAT,
        "spelt": SPELT,
        "stock": COUNT,
        "taken": HANDS,
        "taking": FLAG,
        "talon": COUNT,
        "teams": FIXED,
        "to_move": SEAT,
        "top": CARD,
        "trick": PLAYS,
        "tricks_taken": COUNTS,
        "trump": SUIT,
        "trump_card": CARD,
        "trumps": SUITS_BY_SEAT,
        "turn_limit": FIXED,
        "under": CARD,
        "whole_pile": FIXED,
    }
)


# 3. The encoding of a table


class Encoding:
    """Where each field of a table's observations lies in the row of numbers."""

    def __init__(self, table: Table) -> None:
        """Raises `KeyError` for a field that is not among `FIELDS`."""
        game, points = table.game, table.points
        self._sizes = Sizes(
            game.seats,
            {CARD_TEXT[card]: place for place, card in enumerate(game.pack)},
            table.match.deals,
            game.options.get("turn_limit", 1),
            max(-points.worst, points.best),
        )
        names = ["deal", "dealer", "scores", *typing.get_type_hints(game.observation)]
        names += ["spelt"] if table.actions.spelt else []
        shapes = {name: FIELDS[name].shape(self._sizes) for name in names}
        self.shapes = {name: shape for name, shape in shapes.items() if shape != (0,)}
        """By field that takes any room, in order: its shape."""
        self.size = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def blank(self) -> tuple[Row, dict[str, Row]]:
        """A row of zeros, and by field the view of its part."""
        row, parts, at = np.zeros(self.size, np.float32), {}, 0
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            parts[name] = row[at : at + size].reshape(shape)
            at += size
        return row, parts

    def write(self, parts: Mapping[str, Row], seen: Mapping[str, Any]) -> None:
        """An observation over zeros. What is null, or not there before the deal, stays zero."""
        for name, part in parts.items():
            value = seen.get(name)
            if value is not None:
                FIELDS[name].write(part, value, self._sizes)

    def row(self, seen: Mapping[str, Any]) -> Row:
        """An observation as a row of its own."""
        row, parts = self.blank()
        self.write(parts, seen)
        return row
