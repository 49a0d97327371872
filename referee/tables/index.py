"""Look-ups and scans over all tables, new tables, and merging.

A new table is written under a name that follows from its content, read back, and then added to the manifest by
compare-and-set. So every step may be repeated or interrupted anywhere.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

from referee.tables.cache import ByteCache
from referee.tables.store import ArchiveAway, Manifest, ManifestState, Objects, Run, TablePart
from referee.tables.table import (
    END_BYTES,
    BuiltTable,
    DamagedTable,
    Directory,
    Entry,
    build,
    decompressed,
    name_of,
    parse_block,
    parse_directory,
    parse_end,
)

T = TypeVar("T")

FANOUT: Final = 8
"""How many runs of a level are merged into one of the next."""
TOP: Final = 3
"""The last level. Its runs, of about a million matches each, are not merged, so that no merge takes minutes."""
RETIRED_MS: Final = 3_600_000
"""How long a merged table stays, for processes that read it."""
_ATTEMPTS: Final = 64
_KEY_BYTES: Final = 120
"""What a directory takes in memory for each block."""


class TableIndex:
    """All tables. Safe to share between greenlets and threads."""

    def __init__(self, manifest: Manifest, objects: Objects, cache: ByteCache | None = None) -> None:
        self._manifest, self._objects = manifest, objects
        self._cache = cache or ByteCache()

    # 1. Reading

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return self._current(lambda runs: [self._get(runs, key) for key in keys]) if keys else []

    def scan(
        self, first: bytes, end: bytes, most: int, *, descending: bool = False
    ) -> list[tuple[bytes, bytes]]:
        def found(runs: Sequence[Run]) -> list[tuple[bytes, bytes]]:
            rows = self._merged(runs, first, end, descending=descending)
            kept = ((key, value) for key, value in rows if value is not None)
            return [row for row, _ in zip(kept, range(most), strict=False)]

        return self._current(found)

    def _current(self, look: Callable[[Sequence[Run]], T]) -> T:
        """Look in the present tables, once more if they were merged and deleted meanwhile."""
        for _ in range(_ATTEMPTS):
            state = self._manifest.read()
            try:
                return look(state.runs)
            except ArchiveAway:
                if self._manifest.read().runs == state.runs:
                    raise
        raise ArchiveAway("the tables of the archive changed too many times")

    def _get(self, runs: Sequence[Run], key: bytes) -> bytes | None:
        for run in reversed(runs):
            at = _part_of(run, key)
            if at < 0:
                continue
            part = run.parts[at]
            directory = self._directory(part)
            if not directory.may_have(key):
                continue
            block = directory.block_of(key)
            for each, value in self._block(part, directory, block) if block >= 0 else ():
                if each == key:
                    return value
        return None

    def _merged(
        self, runs: Sequence[Run], first: bytes, end: bytes | None, *, descending: bool
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

    def _walk(self, run: Run, first: bytes, end: bytes | None, *, descending: bool) -> Iterator[Entry]:
        """Yield the entries of a run from `first` to before `end`; `None` is the end of the run."""
        start = max(0, _part_of(run, first))
        stop = len(run.parts) if end is None else _part_of(run, end) + 1
        parts = run.parts[start:stop]
        for part in reversed(parts) if descending else parts:
            directory = self._directory(part)
            low = max(0, directory.block_of(first))
            high = len(directory.places) if end is None else directory.block_of(end) + 1
            numbers = range(low, high)
            for number in reversed(numbers) if descending else numbers:
                rows: Iterable[Entry] = self._block(part, directory, number)
                for key, value in reversed(list(rows)) if descending else rows:
                    if key >= first and (end is None or key < end):
                        yield key, value

    def _directory(self, part: TablePart) -> Directory:
        def made() -> tuple[Directory, int]:
            ending = parse_end(self._objects.read_part(part.name, part.size - END_BYTES, END_BYTES))
            length = ending.directory_length + ending.filter_length
            directory = parse_directory(self._objects.read_part(part.name, ending.directory, length), ending)
            return directory, ending.filter_length + _KEY_BYTES * len(directory.places)

        return self._cache.get((part.name, -1), lambda: _whole(part, made))

    def _block(self, part: TablePart, directory: Directory, number: int) -> Iterator[Entry]:
        offset, length = directory.places[number]

        def made() -> tuple[bytes, int]:
            block = decompressed(self._objects.read_part(part.name, offset, length))
            return block, len(block)

        return parse_block(self._cache.get((part.name, offset), lambda: _whole(part, made)))

    # 2. Writing

    def write(self, entries: Mapping[bytes, bytes | None]) -> None:
        if not entries:
            return
        run = self._stored(0, sorted(entries.items()))
        for _ in range(_ATTEMPTS):
            before = self._manifest.read()
            if run in before.runs or self._manifest.replace(
                before, before._replace(runs=(*before.runs, run), retired=_unretired(before, run))
            ):
                return
        raise ArchiveAway("the tables of the archive changed too many times")

    def merge(self, now: int) -> bool:
        """Merge one level that has `FANOUT` runs, and delete tables that were merged `RETIRED_MS` ago. Return whether
        runs were merged. `now` is in ms. Raise `ArchiveAway`."""
        self._delete_retired(now)
        before = self._manifest.read()
        start = _crowded(before.runs)
        if start is None:
            return False
        old = before.runs[start : start + FANOUT]
        rows = self._merged(old, b"", None, descending=False)
        if start == 0:
            rows = ((key, value) for key, value in rows if value is not None)
        merged = self._stored(old[0].level + 1, rows)
        kept = {part.name for part in merged.parts}
        gone = tuple((part.name, now) for run in old for part in run.parts if part.name not in kept)
        for _ in range(_ATTEMPTS):
            state = self._manifest.read()
            if state.runs[start : start + FANOUT] != old:
                return False
            runs = (*state.runs[:start], *([merged] if merged.parts else []), *state.runs[start + FANOUT :])
            retired = (*_unretired(state, merged), *gone)
            if self._manifest.replace(state, ManifestState(runs, retired)):
                return True
        return False

    def sizes(self) -> tuple[int, int]:
        """Return how many tables there are, and their bytes."""
        parts = [part for run in self._manifest.read().runs for part in run.parts]
        return len(parts), sum(part.size for part in parts)

    def names(self) -> set[str]:
        """Return the names of all tables, merged ones included."""
        state = self._manifest.read()
        return {part.name for run in state.runs for part in run.parts} | {name for name, _ in state.retired}

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield each damaged or missing table with what is wrong."""
        for part in chain.from_iterable(run.parts for run in self._manifest.read().runs):
            try:
                if name_of(self._objects.read(part.name)) != part.name:
                    yield part.name, "the name does not follow from the content"
            except ArchiveAway as error:
                yield part.name, str(error)

    def _stored(self, level: int, rows: Iterable[Entry]) -> Run:
        return Run(level, tuple(self._created(built) for built in build(rows)))

    def _created(self, built: BuiltTable) -> TablePart:
        self._objects.create(built.name, built.data)
        if self._objects.read(built.name) != built.data:
            raise DamagedTable(f"{built.name} reads differently than it was written")
        return TablePart(built.name, built.first.decode(), len(built.data), built.entries)

    def _delete_retired(self, now: int) -> None:
        state = self._manifest.read()
        old = tuple(each for each in state.retired if now - each[1] >= RETIRED_MS)
        if not old:
            return
        if self._manifest.replace(
            state, state._replace(retired=tuple(each for each in state.retired if each not in old))
        ):
            for name, _ in old:
                self._objects.delete(name)


def _aged(age: int, entries: Iterator[Entry]) -> Iterator[tuple[bytes, int, bytes | None]]:
    for key, value in entries:
        yield key, age, value


def _part_of(run: Run, key: bytes) -> int:
    return bisect_right(run.parts, key, key=lambda part: part.first.encode()) - 1


def _crowded(runs: Sequence[Run]) -> int | None:
    """Return where the first `FANOUT` neighbours of one level below `TOP` begin."""
    for start in range(len(runs) - FANOUT + 1):
        levels = {run.level for run in runs[start : start + FANOUT]}
        if len(levels) == 1 and levels.pop() < TOP:
            return start
    return None


def _unretired(state: ManifestState, run: Run) -> tuple[tuple[str, int], ...]:
    """Return the retired tables without those of a run, which has the same content again."""
    names = {part.name for part in run.parts}
    return tuple(each for each in state.retired if each[0] not in names)


def _whole(part: TablePart, make: Callable[[], tuple[T, int]]) -> tuple[T, int]:
    """Return what `make` reads. Raise `ArchiveAway` for a damaged table: nothing else knows what it holds."""
    try:
        return make()
    except DamagedTable as error:
        raise ArchiveAway(f"{part.name}: {error}") from error
