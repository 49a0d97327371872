"""What observations are made of: the types of their fields, which tell any reader what kind of thing a value is.

A field of `Game.observation` is made of these, of `bool`, of `Literal` texts, and of `None` where there may be nothing.
A list

* of `Card` or `Seat` is a set of them, the order being only for the reader;
* with `Items` has those, one after the other;
* of such lists or of `TypedDict`s has as many items as `AtMost` says, or else as the table has seats;
* of anything else is by seat.

So forms, schemas and learners need to know no game.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Final, NamedTuple


class Unit(Enum):
    """What a text or a number stands for."""

    CARD = "card"
    SUIT = "suit"
    SEAT = "seat"
    CARDS = "cards"
    POINTS = "points"
    MOVES = "moves"
    FIXED = "fixed"


class AtMost(NamedTuple):
    """The length that a list can reach."""

    items: int


class Items(NamedTuple):
    """The types of the items of a list whose length is always the same."""

    types: tuple[Any, ...]


Card = Annotated[str, Unit.CARD]
"""A card, as in `TD`."""
Suit = Annotated[str, Unit.SUIT]
Seat = Annotated[int, Unit.SEAT]
Play = Annotated[list[int | str], Items((Seat, Card))]
"""A card, and before it the seat that played it."""
Count = Annotated[int, Unit.CARDS]
"""A number of cards, or of tricks: the pack at most."""
Points = Annotated[int, Unit.POINTS]
"""Of a match, or a part of it."""
Moves = Annotated[int, Unit.MOVES]
"""A number of moves of one deal."""
FIXED: Final = Unit.FIXED
"""Beside a whole field: it is the same throughout a table, as its options are."""
