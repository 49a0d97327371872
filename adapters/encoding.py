"""Observations as tensors: each field of `Game.observe` has its own slice, with a length that the table fixes.

The encoding is a function of the observation, so it reveals no more to a seat than the observation does. All numbers
are between -1 and 1. The type of a field (`engine.seen`) determines its encoding, so no code here depends on a game.
Constants of the table (`turn_limit`) and the order of cards in a list are left out.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np
from numpy.typing import NDArray

from adapters.table import AdapterTable
from engine.cards import CARD_TEXT, SUITS
from engine.seen import AtMost, Card, Items, Points, Seat, Unit

Row = NDArray[np.float32]


class Sizes(NamedTuple):
    """The sizes that a table fixes."""

    seats: int
    place: Mapping[str, int]
    """By card, its place in the pack."""
    deals: int
    most_moves: int
    """The highest number of moves in a deal."""
    points: int
    """The highest absolute score of a match."""

    @property
    def pack(self) -> int:
        return len(self.place)


class FeatureKind(NamedTuple):
    """The encoding of a field: its shape, and a function that writes a value other than null over zeros."""

    shape: tuple[int, ...]
    write: Callable[[Row, Any], None]


# 1. Single values


def _one_of(values: Iterable[Any]) -> FeatureKind:
    """Return the one-hot encoding of one of these values, or the multi-hot encoding of a set of them."""
    place = {value: at for at, value in enumerate(values)}

    def write(row: Row, value: Any) -> None:
        row[[place[item] for item in value] if isinstance(value, list) else place[value]] = 1

    return FeatureKind((len(place),), write)


def _share(most: int) -> FeatureKind:
    """Return the encoding of a number as a fraction of its maximum."""

    def write(row: Row, value: int) -> None:
        row[:] = value / most

    return FeatureKind((1,), write)


def _nothing(row: Row, value: Any) -> None:
    """Write nothing: the field is constant at the table."""


FIXED: Final = FeatureKind((0,), _nothing)


# 2. The types of `engine.seen`


def kind_of(hint: Any, sizes: Sizes, notes: tuple[Any, ...] = ()) -> FeatureKind:
    """Return the encoding of a field of this type. Raise `TypeError` for a type that is not from `engine.seen`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return kind_of(arguments[0], sizes, (*notes, *arguments[1:]))
    if Unit.FIXED in notes:
        return FIXED
    if origin in (Union, types.UnionType):
        (hint,) = [argument for argument in arguments if argument is not type(None)]
        return kind_of(hint, sizes, notes)
    if origin is Literal:
        return _one_of(arguments)
    for note in notes:
        if isinstance(note, Items):
            return _row_of(dict(enumerate(note.types)), sizes)
    if origin is list:
        most = [note.items for note in notes if isinstance(note, AtMost)] or [sizes.seats]
        return _list_of(arguments[0], sizes, most[0])
    if is_typeddict(hint):
        return _row_of(get_type_hints(hint, include_extras=True), sizes)
    if hint is bool:
        return _share(1)
    units = {
        Unit.CARD: lambda: _one_of(sizes.place),
        Unit.SUIT: lambda: _one_of(SUITS),
        Unit.SEAT: lambda: _one_of(range(sizes.seats)),
        Unit.CARDS: lambda: _share(sizes.pack),
        Unit.POINTS: lambda: _share(sizes.points),
        Unit.MOVES: lambda: _share(sizes.most_moves),
    }
    for note in notes:
        if note in units:
            return units[note]()
    raise TypeError(f"{hint!r} does not consist of types from engine.seen, so it has no encoding")


def _list_of(hint: Any, sizes: Sizes, most: int) -> FeatureKind:
    """Return the encoding of a list: a set of cards or seats, or a row for each other item."""
    item = kind_of(hint, sizes)
    if hint in (Card, Seat):
        return item

    def write(row: Row, value: list[Any]) -> None:
        for part, single in zip(row.reshape(most, *item.shape)[: len(value)], value, strict=True):
            item.write(part, single)

    return FeatureKind((most,) if item.shape == (1,) else (most, *item.shape), write)


def _row_of(hints: Mapping[Any, Any], sizes: Sizes) -> FeatureKind:
    """Return the concatenated encodings of a list with `Items` or of a `TypedDict`."""
    parts = {name: kind_of(hint, sizes) for name, hint in hints.items()}
    ends = list(accumulate(part.shape[0] for part in parts.values()))

    def write(row: Row, value: Any) -> None:
        for (name, part), end in zip(parts.items(), ends, strict=True):
            if value[name] is not None:
                part.write(row[end - part.shape[0] : end], value[name])

    return FeatureKind((ends[-1],), write)


def _spelt(sizes: Sizes) -> FeatureKind:
    """Return the encoding of a partly spelt move: its cards."""
    cards = kind_of(list[Card], sizes)
    return FeatureKind(cards.shape, lambda row, text: cards.write(row, text.split(" ")[1:]))


# 3. The encoding of a table


class Encoding:
    """The encoding of a table's observations as a row of numbers."""

    def __init__(self, table: AdapterTable) -> None:
        """Raise `TypeError` for a field whose type is not from `engine.seen`."""
        game, points = table.game, table.points
        sizes = Sizes(
            game.seats,
            {CARD_TEXT[card]: place for place, card in enumerate(game.pack)},
            table.match.deals,
            game.most_moves,
            max(-points.worst, points.best),
        )
        hints = {
            "dealer": Seat,
            "scores": list[Points],
            **get_type_hints(game.observation, include_extras=True),
        }
        kinds = {"deal": _share(sizes.deals), **{name: kind_of(hint, sizes) for name, hint in hints.items()}}
        if table.actions.spelt:
            kinds["spelt"] = _spelt(sizes)
        self._kinds = {name: kind for name, kind in kinds.items() if kind is not FIXED}
        self.shapes = {name: kind.shape for name, kind in self._kinds.items()}
        """The shapes of the fields, in order, without constant fields."""
        self.size = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def blank(self) -> tuple[Row, dict[str, Row]]:
        """Return a row of zeros, and by field a view of its slice."""
        row, parts, at = np.zeros(self.size, np.float32), {}, 0
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            parts[name] = row[at : at + size].reshape(shape)
            at += size
        return row, parts

    def write(self, parts: Mapping[str, Row], seen: Mapping[str, Any]) -> None:
        """Write an observation over zeros. Null fields, and fields missing before the deal, stay zero."""
        for name, part in parts.items():
            value = seen.get(name)
            if value is not None:
                self._kinds[name].write(part, value)

    def row(self, seen: Mapping[str, Any]) -> Row:
        """Return an observation as a new row."""
        row, parts = self.blank()
        self.write(parts, seen)
        return row
