"""The tables of a duplicate group side by side: suits mapped back, and where they first differ."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from engine.cards import RANKS, SUITS
from engine.relabelling import Suits
from records.match.frames import CHANGES, WHOLE, Frame, coded
from records.page.table import MoveLine, MovePlace
from records.page.words import TableText

_PLACES: Final = {
    rank + suit: (high, number) for high, rank in enumerate(RANKS) for number, suit in enumerate(SUITS)
}
"""The place of each card in a sorted hand."""
MOST_KEPT: Final = 32
"""How many tables a process keeps, some 10 MB."""
_SORTED: Final = frozenset({"hand", "hands", "known"})
"""Members of an observation whose cards are sorted by rank, then by suit."""


class BackMapping:
    """Undoes a relabelling. It remembers each text, since the frames of a deal repeat the same cards many times."""

    def __init__(self, suits: Suits) -> None:
        self._texts = {SUITS[new]: SUITS[old] for old, new in enumerate(suits)}
        self._words = {rank + new: rank + old for rank in RANKS for new, old in list(self._texts.items())}

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            found = self._texts.get(value)
            if found is None:
                found = " ".join([self._words.get(word, word) for word in value.split(" ")])
                self._texts[value] = found
            return found
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            name: _sorted(self.value(each)) if name in _SORTED else self.value(each)
            for name, each in value.items()
        }

    def frame(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return a coded frame with its suits mapped back."""
        seen: dict[str, Any] = {
            name: self.value(document[name]) for name in (WHOLE, CHANGES) if name in document
        }
        return {**document, "events": [self._event(event) for event in document["events"]], **seen}

    def _event(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event with its suits mapped back, but its note as it was written."""
        note = {"note": event["note"]} if "note" in event else {}
        return {**self.value(event), **note}


def _sorted(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if value and isinstance(value[0], list):
        return [_sorted(each) for each in value]
    return sorted(value, key=_PLACES.__getitem__) if _PLACES.keys() >= set(value) else value


class ComparedTable(NamedTuple):
    """A deal at one table of a group, with its suits mapped back."""

    match: str
    text: TableText
    deal: int
    frames: list[dict[str, Any]]
    """The frames of the deal as the wire has them (`coded`)."""
    moves: list[tuple[int, str]]
    """The seats and texts of its moves, in order."""
    points: list[int]
    """By seat, the points of this deal."""

    @classmethod
    def made(
        cls, match: str, text: TableText, deal: int, frames: Sequence[Frame], suits: Suits
    ) -> ComparedTable:
        """Return a deal of a match that was played with relabelled suits. A match that ended before has no frames."""
        mapping = BackMapping(suits)
        # Coded frames have each value once, so there is less to map than in whole ones.
        back = [mapping.frame(document) for document in coded(frames)]
        events = [event for document in back for event in document["events"]]
        moves = [(event["seat"], event["move"]) for event in events if event["type"] == "move"]
        ends = [event["returns"] for event in events if event["type"] == "deal_over"]
        return cls(match, text, deal, back, moves, ends[-1] if ends else [0] * len(text.seats))

    def line(self, number: int) -> MoveLine | None:
        """Return the move with this number, from 1; `None` if there were fewer."""
        if number > len(self.moves):
            return None
        seat, move = self.moves[number - 1]
        place = MovePlace(self.deal, number)
        return MoveLine(place, self.text.seat(seat), self.text.move(move), None, 0, "")


class ComparedTables:
    """The tables that were compared last. Finished matches never change, and mapping one takes longer than the rest of
    the page."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, str], ComparedTable] = OrderedDict()

    def table(self, match: str, deal: int, language: str, make: Callable[[], ComparedTable]) -> ComparedTable:
        """Return a deal of a finished match in a language."""
        key = (match, deal, language)
        found = self._kept.pop(key, None) or make()
        self._kept[key] = found
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return found


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
