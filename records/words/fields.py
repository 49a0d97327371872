"""The fields of an observation as text, by the types of `engine.seen`. So a new game needs no words of its own."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from engine.cards import RANKS, SUITS
from engine.game import Game
from engine.seen import Items, Unit
from records.page.words import TableText
from records.words.phrases import PHRASES

_SHOWN_APART: Final = frozenset({"seat", "to_move", "question", "hand", "hand_sizes"})


class FieldKind(Enum):
    """How the value of a field is written."""

    SCALAR = "scalar"
    CARDS = "cards"
    """Cards in their order."""
    SEATS = "seats"
    GROUPS = "groups"
    """Lists of seats."""
    ROWS = "rows"
    """Pairs or objects: their values."""
    BY_SEAT = "by seat"
    CARDS_BY_SEAT = "cards by seat"


def kinds_of(game: type[Game]) -> Mapping[str, FieldKind]:
    """Return the kind of each field of the game's observations, without those that a turn shows apart."""
    hints = typing.get_type_hints(game.observation, include_extras=True)
    return {name: _kind(hint) for name, hint in hints.items() if name not in _SHOWN_APART}


def _kind(hint: Any) -> FieldKind:
    hint, _ = _plain(hint)
    if typing.get_origin(hint) is not list:
        return FieldKind.SCALAR
    item, notes = _plain(typing.get_args(hint)[0])
    if typing.is_typeddict(item) or any(isinstance(note, Items) for note in notes):
        return FieldKind.ROWS
    if typing.get_origin(item) is list:
        _, inner = _plain(typing.get_args(item)[0])
        return FieldKind.CARDS_BY_SEAT if Unit.CARD in inner else FieldKind.GROUPS
    if Unit.CARD in notes:
        return FieldKind.CARDS
    return FieldKind.SEATS if Unit.SEAT in notes else FieldKind.BY_SEAT


def _plain(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a type without `Annotated` and `None`, and its annotations."""
    notes: tuple[Any, ...] = ()
    while True:
        if typing.get_origin(hint) is typing.Annotated:
            hint, *more = typing.get_args(hint)
            notes += tuple(more)
        elif typing.get_origin(hint) in (types.UnionType, typing.Union):
            (hint,) = [each for each in typing.get_args(hint) if each is not types.NoneType]
        else:
            return hint, notes


def by_suits(cards: Sequence[str]) -> str:
    """Return cards by suit, as in `C 79 H T`: few tokens, as in the diagrams of bridge."""
    suits = {suit: sorted((card[0] for card in cards if card[1] == suit), key=RANKS.index) for suit in SUITS}
    return " ".join(f"{suit} {''.join(ranks)}" for suit, ranks in suits.items() if ranks) or "-"


def label(language: str, name: str) -> str:
    """Return the words for a field; those of a new game are the name itself."""
    return PHRASES[language].get(f"field {name}", name.replace("_", " "))


def value_text(text: TableText, kind: FieldKind, value: Any) -> str | None:
    """Return a value that does not belong to one seat; `None` for one that says nothing: null, false, empty."""
    if value is None or value is False or value == []:
        return None
    match kind:
        case FieldKind.CARDS | FieldKind.SEATS:
            return " ".join(map(str, value))
        case FieldKind.GROUPS:
            return ", ".join(" ".join(map(str, group)) for group in value)
        case FieldKind.ROWS:
            return ", ".join("/".join(map(_cell, _row(row))) for row in value)
        case _:
            return text.value(value)


def seat_text(kind: FieldKind, value: Any) -> str | None:
    """Return what a field says of one seat; `None` for no cards and for 0."""
    if not value:
        return None
    return by_suits(value) if kind is FieldKind.CARDS_BY_SEAT else str(value)


def _row(row: Any) -> Sequence[Any]:
    return list(row.values()) if isinstance(row, Mapping) else row


def _cell(value: Any) -> str:
    return "-" if value is None else str(value)
