"""The field types of observations. They tell a reader what a value means without knowledge of the game.

A field of `Game.observation` consists of these types, `bool`, `Literal` texts, and `None` where a value may be
absent. A list

* of `Card` or `Seat` is a set, ordered only for the reader;
* with `Items` has exactly these items, in this order;
* of such lists or of `TypedDict`s has up to `AtMost` items, or else one item for each seat;
* of anything else has one item for each seat.

Forms, schemas and learning adapters therefore work for every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, Final, NamedTuple


class Unit(Enum):
    """The meaning of a text or a number."""

    CARD = "card"
    SUIT = "suit"
    SEAT = "seat"
    CARDS = "cards"
    POINTS = "points"
    MOVES = "moves"
    FIXED = "fixed"


class AtMost(NamedTuple):
    """The highest length of a list."""

    items: int


class Items(NamedTuple):
    """The item types of a list with a fixed length."""

    types: tuple[Any, ...]


Card = Annotated[str, Unit.CARD]
"""A card, as in `TD`."""
Suit = Annotated[str, Unit.SUIT]
Seat = Annotated[int, Unit.SEAT]
Play = Annotated[list[int | str], Items((Seat, Card))]
"""A pair: the seat that played, and the card."""
Count = Annotated[int, Unit.CARDS]
"""A number of cards or of tricks, at most the size of the pack."""
Points = Annotated[int, Unit.POINTS]
"""A score of a match or of a part of it."""
Moves = Annotated[int, Unit.MOVES]
"""A number of moves in one deal."""
FIXED: Final = Unit.FIXED
"""Annotates a field that is constant at a table, as its options are."""


class LazyObservation(Mapping[str, Any]):
    """An observation whose fields are computed when they are read.

    It holds only values that the viewer may see, so nothing hidden can be reached through it.
    """

    __slots__ = ("_fields", "_known", "_visible")

    def __init__(self, fields: dict[str, Callable[[Any], Any]], visible: Any, known: dict[str, Any]) -> None:
        """Create an observation whose field `name` is `fields[name](visible)`, and which has the fields `known`."""
        self._fields, self._visible, self._known = fields, visible, known

    def __getitem__(self, name: str) -> Any:
        field = self._fields.get(name)
        return self._known[name] if field is None else field(self._visible)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field, or `default` if there is none."""
        if name in self._known:  # most often read this way: `free_moves`
            return self._known[name]
        return self[name] if name in self._fields else default

    def __iter__(self) -> Iterator[str]:
        return iter((*self._fields, *self._known))

    def __len__(self) -> int:
        return len(self._fields) + len(self._known)
