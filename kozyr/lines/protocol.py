"""What goes over the pipes, and the sentences for programs that don't keep to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from records.words.turn import turn_text

VERSION: Final = 1
"""The version of the line protocol. Every turn has it as `line_protocol`."""


def turn_line(
    turn: Mapping[str, Any], *, table: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> bytes:
    """Return a turn as a program reads it: the service's turn, the table, and the events since its last turn."""
    line = {"line_protocol": VERSION, **turn, "table": table, "events": events}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def for_new_reader(events: Sequence[Mapping[str, Any]], deal: int) -> Sequence[Mapping[str, Any]]:
    """Return what a program reads that has read no event of the match: those of the current deal, the `deal`th.

    In the first deal these are all events. Nothing is returned if the deal's first event is not there yet.
    """
    if deal == 1:
        return events
    starts = (at for at, event in enumerate(events) if event["type"] == "deal" and event["deal"] == deal)
    return events[next(starts, len(events)) :]


def table_of(game: str, seats: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field `table` of a turn."""
    return {"game": game, "seats": seats, "options": dict(options)}


class ProgramAnswer(NamedTuple):
    """What a program wrote for a turn."""

    move: str
    facts: Mapping[str, Any] = MappingProxyType({})


def answer_of(line: str) -> ProgramAnswer:
    """Return the answer in a line: a move, or a JSON object with `move` and `facts`."""
    if line.startswith("{"):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return ProgramAnswer(line)
        if found.keys() == {"move", "facts"} and isinstance(found["facts"], dict):
            return ProgramAnswer(str(found["move"]), found["facts"])
    return ProgramAnswer(line)


def illegal(move: str) -> str:
    """Return the sentence for a move that is not legal."""
    return f"{move!r} is not a legal move: print one of legal_moves or free_moves exactly as written"


Json = Mapping[str, Any]


class TurnTexts:
    """Writes turns in words: messages that end with an empty line. Keeps the events of each match that they report."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._events: dict[str, list[Json]] = {}

    def message(self, turn: Json, *, table: Json, events: Sequence[Json]) -> bytes:
        """Return a turn as a program reads it. `events` are those since its last turn, or since the deal began."""
        match = turn["match"]
        known = self._events.get(match, [])
        last = known[-1]["n"] if known else 0
        told = [*known, *(event for event in events if event["n"] > last)]
        # A turn reports its deal, and the end of the deal before from the seat's last move on.
        starts = [at for at, event in enumerate(told) if event["type"] == "deal"]
        self._events[match] = told[starts[-2] :] if len(starts) > 1 else told
        return f"{turn_text(turn, table, told, self._language)}\n\n".encode()

    def forget(self, match: str) -> None:
        """Forget a match that is over."""
        self._events.pop(match, None)
