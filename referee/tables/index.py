"""Look-ups and scans over all tables, and new tables.

A new table is written, read back, and then added to the manifest by compare-and-set. So every step may be repeated or
interrupted anywhere.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from referee.tables.cache import ByteCache
from referee.tables.files import TableFiles, part_of
from referee.tables.merging import delete_retired, merge_step
from referee.tables.store import ArchiveAway, Objects, TableManifest, TableRun
from referee.tables.table import BuiltTable, Entry, build, hashes_of

T = TypeVar("T")

_ATTEMPTS: Final = 64


def wall_clock() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000


class TableIndex:
    """All tables. Safe to share between greenlets and threads."""

    def __init__(
        self,
        manifest: TableManifest,
        objects: Objects,
        cache: ByteCache | None = None,
        now: Callable[[], int] = wall_clock,
    ) -> None:
        """`now` returns the wall clock in ms."""
        self._manifest, self._now = manifest, now
        self._files = TableFiles(objects, cache or ByteCache())

    # 1. Reading

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return self._current(lambda runs: [self._get(runs, key) for key in keys]) if keys else []

    def scan(
        self, first: bytes, end: bytes, most: int, *, descending: bool = False
    ) -> list[tuple[bytes, bytes]]:
        def found(runs: Sequence[TableRun]) -> list[tuple[bytes, bytes]]:
            rows = self._merged(runs, first, end, descending=descending)
            kept = ((key, value) for key, value in rows if value is not None)
            return [row for row, _ in zip(kept, range(most), strict=False)]

        return self._current(found)

    def _current(self, look: Callable[[Sequence[TableRun]], T]) -> T:
        """Look in the present tables, once more if they were merged and deleted meanwhile."""
        for _ in range(_ATTEMPTS):
            state = self._manifest.read()
            try:
                return look(state.runs)
            except ArchiveAway:
                if self._manifest.read().runs == state.runs:
                    raise
        raise ArchiveAway("the tables of the archive changed too many times")

    def _get(self, runs: Sequence[TableRun], key: bytes) -> bytes | None:
        hashes = hashes_of(key)
        for run in reversed(runs):
            at = part_of(run, key)
            if at < 0:
                continue
            part = run.parts[at]
            directory = self._files.directory(part)
            if not directory.may_have(hashes):
                continue
            block = directory.block_of(key)
            for each, value in self._files.block(part, directory, block) if block >= 0 else ():
                if each == key:
                    return value
        return None

    def _merged(
        self, runs: Sequence[TableRun], first: bytes, end: bytes, *, descending: bool
    ) -> Iterator[Entry]:
        """Yield the entries of these runs in order, of each key the newest, removed ones included."""
        walks = [
            _aged(age if descending else -age, self._walk(run, first, end, descending=descending))
            for age, run in enumerate(runs)
        ]
        last = None
        for key, _, value in heapq.merge(*walks, key=lambda row: row[:2], reverse=descending):
            if key != last:
                yield key, value
            last = key

    def _walk(self, run: TableRun, first: bytes, end: bytes, *, descending: bool) -> Iterator[Entry]:
        """Yield the entries of a run from `first` to before `end`."""
        parts = run.parts[max(0, part_of(run, first)) : part_of(run, end) + 1]
        for part in reversed(parts) if descending else parts:
            directory = self._files.directory(part)
            numbers = range(max(0, directory.block_of(first)), directory.block_of(end) + 1)
            for number in reversed(numbers) if descending else numbers:
                rows = self._files.block(part, directory, number)
                for key, value in reversed(rows) if descending else rows:
                    if first <= key < end:
                        yield key, value

    # 2. Writing

    def write(self, entries: Mapping[bytes, bytes | None], still: Callable[[], bool] = lambda: True) -> bool:
        tables = list(build(sorted(entries.items())))
        state = self._manifest.read()
        if not tables or _ends_with(state.runs, tables):
            return still()
        run = TableRun(0, tuple(map(self._files.create, tables)))
        for _ in range(_ATTEMPTS):
            if not still():
                for part in run.parts:
                    self._files.discard(part)
                return False
            if self._manifest.replace(state, state._replace(runs=(*state.runs, run))):
                return True
            state = self._manifest.read()
        raise ArchiveAway("the tables of the archive changed too many times")

    def merge(self) -> bool:
        now = self._now()
        delete_retired(self._manifest, self._files, now)
        return merge_step(self._manifest, self._files, now)

    def sizes(self) -> tuple[int, int]:
        """Return how many tables there are, and their bytes."""
        parts = [part for run in self._manifest.read().runs for part in run.parts]
        return len(parts), sum(part.size for part in parts)

    def names(self) -> set[str]:
        """Return the names of all tables, merged ones included."""
        state = self._manifest.read()
        return {part.name for part in state.parts()} | {name for name, _ in state.retired}

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield each damaged or missing table with what is wrong."""
        for part in self._manifest.read().parts():
            wrong = self._files.fault(part)
            if wrong is not None:
                yield part.name, wrong


def _ends_with(runs: Sequence[TableRun], tables: Sequence[BuiltTable]) -> bool:
    """Return whether the newest run has this content: an interrupted process wrote it."""
    names = [part.name for part in runs[-1].parts] if runs else []
    return len(names) == len(tables) and all(
        table.digest in name for table, name in zip(tables, names, strict=True)
    )


def _aged(age: int, entries: Iterator[Entry]) -> Iterator[tuple[bytes, int, bytes | None]]:
    for key, value in entries:
        yield key, age, value
