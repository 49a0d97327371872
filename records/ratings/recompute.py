"""Collect matches of records for ratings, which are bit for bit the same in any order of the records and in any run.

A temporary SQLite file holds about 200 bytes of each record and sorts them on disk. Memory holds one group at a time
and sums over groups. So the number and order of records do not matter, nor do duplicates.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from records.results.group_result import GroupResult, PlayedMatch, ResultPlayer, group_result_of


class Recomputation:
    """Collects matches into groups. A context manager, which deletes its file at the end."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kozyr-rate-")
        self._base = sqlite3.connect(Path(self._folder.name) / "matches", isolation_level=None)
        self._base.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE;"
            "CREATE TABLE played (preset TEXT, part TEXT, ended INTEGER, id TEXT PRIMARY KEY, rest TEXT) WITHOUT ROWID;"
            "BEGIN;"
        )
        self.excluded = 0
        """Groups that are incomplete or of no known kind, among those processed so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()
        self._folder.cleanup()

    def add(self, played: PlayedMatch) -> None:
        """Add a match; a known match has no effect. Raise `ValueError` if its contents differ from before."""
        rest = json.dumps([played.seats, played.sides, played.scores, played.forfeits])
        row = (played.preset, played.group, played.ended, played.id, rest)
        if not self._base.execute("INSERT OR IGNORE INTO played VALUES (?, ?, ?, ?, ?)", row).rowcount:
            (known,) = self._base.execute("SELECT * FROM played WHERE id = ?", (played.id,))
            if known != row:
                raise ValueError(f"match {played.id} came before with other contents")

    def presets(self) -> list[str]:
        return [
            preset for (preset,) in self._base.execute("SELECT DISTINCT preset FROM played ORDER BY preset")
        ]

    def outcomes(self, preset: str) -> Iterator[GroupResult]:
        """Yield the results of a preset's groups in the order (ended, id)."""
        found = self._base.execute(
            "WITH ends AS (SELECT part, MAX(ended) AS over FROM played WHERE preset = ?1 GROUP BY part) "
            "SELECT played.part, ended, id, rest FROM ends JOIN played ON played.part = ends.part "
            "WHERE preset = ?1 ORDER BY over, played.part, id",
            (preset,),
        )
        group: list[PlayedMatch] = []
        for part, ended, ident, rest in found:
            if group and group[0].group != part:
                yield from self._outcome(group)
                group = []
            seats, *numbers = json.loads(rest)
            sides, scores, forfeits = (tuple(each) for each in numbers)
            players = tuple(ResultPlayer(*seat) for seat in seats)
            group.append(PlayedMatch(ident, part, preset, ended, players, sides, scores, forfeits))
        if group:
            yield from self._outcome(group)

    def _outcome(self, group: list[PlayedMatch]) -> Iterator[GroupResult]:
        outcome = group_result_of(group)
        if outcome is None:
            self.excluded += 1
        else:
            yield outcome
