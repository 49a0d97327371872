"""Ratings from records alone: bit for bit the same from any order of them, in any run.

Records are taken one by one, and what is kept of each (some 200 bytes) lies in a temporary SQLite file, which sorts it
on disk; in memory there is one group at a time and the ratings. So neither the number of records nor their order
matters, nor whether one comes twice.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from league.ratings.model import Rating, updated
from league.results.group_result import BadRecord, GroupResult, PlayedMatch, ResultPlayer, group_result_of


class RatingStep(NamedTuple):
    """A group and the ratings of its bots after it, by bot id."""

    outcome: GroupResult
    after: dict[str, Rating]


class Recomputation:
    """Collects matches and rates their groups. A context manager: its file is gone at the end."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kozyr-rate-")
        self._base = sqlite3.connect(Path(self._folder.name) / "matches", isolation_level=None)
        self._base.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE;"
            "CREATE TABLE played (preset TEXT, part TEXT, ended INTEGER, id TEXT PRIMARY KEY, rest TEXT) WITHOUT ROWID;"
            "BEGIN;"
        )
        self.excluded = 0
        """Groups that are not whole or of no known form, among those that were gone through."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()
        self._folder.cleanup()

    def add(self, played: PlayedMatch) -> None:
        """Take a match in; one that was taken in before changes nothing. Raises `BadRecord` if it was another then."""
        rest = json.dumps([played.seats, played.sides, played.scores, played.forfeits])
        row = (played.preset, played.group, played.ended, played.id, rest)
        if not self._base.execute("INSERT OR IGNORE INTO played VALUES (?, ?, ?, ?, ?)", row).rowcount:
            (known,) = self._base.execute("SELECT * FROM played WHERE id = ?", (played.id,))
            if known != row:
                raise BadRecord(f"match {played.id} came before with other contents")

    def presets(self) -> list[str]:
        """The presets that were played."""
        return [
            preset for (preset,) in self._base.execute("SELECT DISTINCT preset FROM played ORDER BY preset")
        ]

    def outcomes(self, preset: str) -> Iterator[GroupResult]:
        """The groups of a preset in the order (ended, id)."""
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

    def steps(self, preset: str) -> Iterator[RatingStep]:
        """The same with the ratings after each."""
        ratings: dict[str, Rating] = {}
        for outcome in self.outcomes(preset):
            after = updated(outcome, ratings)
            ratings.update(after)
            yield RatingStep(outcome, after)

    def _outcome(self, group: list[PlayedMatch]) -> Iterator[GroupResult]:
        outcome = group_result_of(group)
        if outcome is None:
            self.excluded += 1
        else:
            yield outcome
