"""The tables of a duplicate group side by side: suits mapped back, and where they first differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.cards import RANKS, SUITS
from engine.relabelling import Suits
from referee.match.frames import Frame
from web.table import MoveLine, MovePlace, placed
from web.words import TableText

_CARD: Final = re.compile(rf"([{RANKS}])([{SUITS}])")
_SORTED: Final = frozenset({"hand", "hands", "known"})
"""Members of an observation whose cards are sorted by rank, then by suit."""


def mapped_back(value: Any, suits: Suits) -> Any:
    """Return a value of an event or an observation with the suits as they were before the relabelling `suits`."""
    return _mapped(value, {SUITS[new]: SUITS[old] for old, new in enumerate(suits)})


def _mapped(value: Any, old: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            name: _sorted(_mapped(each, old)) if name in _SORTED else _mapped(each, old)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_mapped(each, old) for each in value]
    if not isinstance(value, str):
        return value
    return old.get(value) or " ".join(_word(word, old) for word in value.split(" "))


def _word(word: str, old: dict[str, str]) -> str:
    card = _CARD.fullmatch(word)
    return word if card is None else card[1] + old[card[2]]


def _sorted(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if value and isinstance(value[0], list):
        return [_sorted(each) for each in value]
    return sorted(value, key=_place) if all(_CARD.fullmatch(card) for card in value) else value


def _place(card: str) -> tuple[int, int]:
    return RANKS.index(card[0]), SUITS.index(card[1])


class ComparedTable(NamedTuple):
    """A deal at one table of a group, with its suits mapped back."""

    match: str
    text: TableText
    frames: list[Frame]
    moves: list[tuple[int, str]]
    """The seats and texts of its moves, in order."""
    points: list[int]
    """By seat, the points of this deal."""

    @classmethod
    def made(cls, match: str, text: TableText, frames: Sequence[Frame], suits: Suits) -> ComparedTable:
        """Return a deal of a match that was played with relabelled suits."""
        back = [
            frame._replace(
                events=[_event(event, suits) for event in frame.events],
                observation=mapped_back(frame.observation, suits),
            )
            for frame in frames
        ]
        events = [event for frame in back for event in frame.events]
        moves = [(event["seat"], event["move"]) for event in events if event["type"] == "move"]
        ends = [event["returns"] for event in events if event["type"] == "deal_over"]
        return cls(match, text, back, moves, ends[-1] if ends else [0] * len(text.seats))

    def line(self, number: int) -> MoveLine | None:
        """Return the move with this number, from 1; `None` if there were fewer."""
        if number > len(self.moves):
            return None
        seat, move = self.moves[number - 1]
        place = MovePlace(placed(self.frames)[0].place.deal, number)
        return MoveLine(place, self.text.seat(seat), self.text.move(move), None, 0, "")


def _event(event: dict[str, Any], suits: Suits) -> dict[str, Any]:
    """Return an event with its suits mapped back, but its note as it was written."""
    note = {"note": event["note"]} if "note" in event else {}
    return {**mapped_back(event, suits), **note}


def divergence(tables: Sequence[ComparedTable]) -> int | None:
    """Return the number of the first move that is not the same at all tables, from 1; `None` if there is none."""
    longest = max((len(table.moves) for table in tables), default=0)
    for number in range(longest):
        if len({table.moves[number] if number < len(table.moves) else None for table in tables}) > 1:
            return number + 1
    return None


class SeatSwing(NamedTuple):
    """What the same cards were worth at each table."""

    seat: int
    points: list[int]
    """By table."""

    @property
    def swing(self) -> int:
        """The difference between the best and the worst table."""
        return max(self.points) - min(self.points)


def swings(tables: Sequence[ComparedTable]) -> list[SeatSwing]:
    """Return the points of the deal by seat and table."""
    seats = range(len(tables[0].points)) if tables else range(0)
    return [SeatSwing(seat, [table.points[seat] for table in tables]) for seat in seats]
