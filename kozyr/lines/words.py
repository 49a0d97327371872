"""Turns for programs that read text: messages that end with an empty line (docs/line-protocol.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from records.words.turn import turn_text

Json = Mapping[str, Any]


class TurnTexts:
    """Writes turns in words. Keeps the events of each match that they report."""

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
