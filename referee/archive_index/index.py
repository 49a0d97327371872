"""Look-ups and lists over all runs, new runs, and their compaction.

A new file is written, and then added to the manifest by compare-and-set. So every step may be repeated or interrupted
anywhere.

The newest runs become one as soon as the run before them has less than `RATIO` times their size. So the runs stay few,
and each row is rewritten a few dozen times at most, however many there are. A step of the compaction writes one file,
in about a second, and notes in the manifest how far it is.
"""

from __future__ import annotations

import heapq
import logging
import secrets
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, TypeVar

from referee.archive_index.manifest import Compaction, Manifest, ManifestState, Run
from referee.archive_index.parquet import (
    DamagedFile,
    Entry,
    IndexFile,
    RowGroups,
    built,
    described,
    digest_of,
    parsed_footer,
    rows_of,
)
from referee.byte_cache import ByteCache
from referee.object_store import ArchiveAway, ObjectMissing, Objects, is_there

RATIO: Final = 8
FILE_GROUPS: Final = 128
"""Row groups of a file that a compaction writes: about 8 MB."""
RETIRED_MS: Final = 3_600_000
"""How long a replaced file stays for those that read it."""
DERIVED: Final = (b"=m ", b"~l ")
"""The keys that follow from segments (`referee.storage.archived`); all others go to the journal too."""
PARTIAL_MS: Final = 86_400_000
"""How long entries wait for others, in ms, so that there are few small files."""
_WHOLE: Final = 1 << 21
"""The size, in bytes, up to which a file is read as a whole, with one request."""
_ROW_BYTES: Final = 120
"""What a row takes in memory besides its bytes."""
_END: Final = b"\x7f"
"""Follows all keys."""
_ATTEMPTS: Final = 64

Renewals = Mapping[bytes, Callable[[bytes], bytes]]
"""By the first two bytes of a key, a function that writes the present names of bots into a value."""

T = TypeVar("T")
log = logging.getLogger(__name__)


def wall_clock() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000


class ArchiveIndex:
    """The index of the archive. Safe to share between greenlets and threads. Its methods may raise `ArchiveAway`."""

    def __init__(
        self,
        manifest: Manifest,
        objects: Objects,
        cache: ByteCache | None = None,
        now: Callable[[], int] = wall_clock,
        renewals: Callable[[], Renewals] = dict,
    ) -> None:
        """`now` returns the wall clock in ms. `renewals` returns what writes present names into values."""
        self.manifest, self._objects, self._now, self._renewals = manifest, objects, now, renewals
        self._cache = cache or ByteCache()

    # 1. Reading

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of these keys."""
        return self._current(lambda runs: [self._get(runs, key) for key in keys]) if keys else []

    def scan(
        self, first: bytes, end: bytes, most: int, *, descending: bool = False, lenient: bool = False
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `most` entries from `first`, inclusive, to before `end`; from the last one on if `descending`.
        With `lenient`, skip damaged files, and note them."""

        def found(runs: Sequence[Run]) -> list[tuple[bytes, bytes]]:
            walks = [
                _aged(
                    age if descending else -age,
                    self._walk(run, first, end, descending=descending, lenient=lenient),
                )
                for age, run in enumerate(runs)
            ]
            merged = heapq.merge(*walks, key=lambda row: row[:2], reverse=descending)
            return list(islice(_newest(merged), most))

        return self._current(found)

    def _current(self, look: Callable[[Sequence[Run]], T]) -> T:
        """Look in the present runs, once more if they were compacted and deleted meanwhile."""
        for _ in range(_ATTEMPTS):
            state = self.manifest.read()
            try:
                return look(state.runs)
            except ArchiveAway:
                if self.manifest.read().runs == state.runs:
                    raise
        raise ArchiveAway("the index of the archive changed too many times")

    def _get(self, runs: Sequence[Run], key: bytes) -> bytes | None:
        for run in reversed(runs):
            for _, value in self._walk(run, key, key + b"\0"):
                return value
        return None

    def _walk(
        self,
        run: Run,
        first: bytes,
        end: bytes,
        *,
        descending: bool = False,
        lenient: bool = False,
        at_once: int = 1,
    ) -> Iterator[Entry]:
        """Yield the entries of a run from `first` to before `end`. One request reads `at_once` row groups."""
        files = run[max(0, _file_of(run, first)) : _file_of(run, end) + 1]
        for file in reversed(files) if descending else files:
            with suppress(*([DamagedFile] if lenient else [])):
                footer = self._footer(file)
                starts = range(max(0, footer.group_of(first)), footer.group_of(end) + 1, at_once)
                for start in reversed(starts) if descending else starts:
                    rows = self._group(file, footer, start, min(start + at_once, starts.stop))
                    for key, value in reversed(rows) if descending else rows:
                        if first <= key < end:
                            yield key, value

    def _footer(self, file: IndexFile) -> RowGroups:
        def made() -> tuple[RowGroups, int]:
            data = self._bytes(file, file.size - file.footer, file.footer)
            return self._noted(file, lambda: parsed_footer(file, data)), 4 * file.footer

        return self._cache.get((file.name, "footer"), made)

    def _group(self, file: IndexFile, footer: RowGroups, first: int, end: int) -> list[Entry]:
        """Return the rows of the row groups from `first` to before `end`. One alone is cached."""

        def made() -> tuple[list[Entry], int]:
            start = footer.places[first]
            data = self._bytes(file, start, footer.places[end] - start)
            rows = self._noted(file, lambda: rows_of(file, footer, first, end, data))
            return rows, sum(_ROW_BYTES + len(key) + len(value or b"") for key, value in rows)

        return self._cache.get((file.name, first), made) if end == first + 1 else made()[0]

    def _bytes(self, file: IndexFile, start: int, length: int) -> bytes:
        def whole() -> tuple[bytes, int]:
            data = self._objects.read(file.name)
            return data, len(data)

        try:
            if file.size <= _WHOLE:
                return self._cache.get((file.name, "whole"), whole)[start : start + length]
            return self._objects.read_part(file.name, start, length)
        except ObjectMissing as error:
            others = (other.name for other in self.manifest.read().files() if other.name != file.name)
            if not is_there(self._objects, islice(others, 2)):
                raise
            missing = f"{file.name} is missing"
            raise self._noted_damage(file.name, DamagedFile(missing)) from error

    def _noted(self, file: IndexFile, read: Callable[[], T]) -> T:
        try:
            return read()
        except DamagedFile as error:
            raise self._noted_damage(file.name, error) from error

    def _noted_damage(self, name: str, error: DamagedFile) -> DamagedFile:
        if any(file.name == name for file in self.manifest.read().files()):  # else it was compacted meanwhile
            log.error("the index of the archive is damaged; run `kozyr archive rebuild`: %s", error)
            self.manifest.note_damaged(name)
        return error

    # 2. Writing

    def write(self, entries: Mapping[bytes, bytes | None], still: Callable[[], bool] = lambda: True) -> bool:
        """Store these entries, all or none, before this returns. `None` removes a key. Safe to repeat.

        Return false, without effect, if `still()` is false at the instant at which they would become visible: a
        process whose write was delayed must not override a later one.
        """
        rows = self._renewed(sorted(entries.items()))
        state = self.manifest.read()
        data = built(rows)
        if not rows or (state.runs and digest_of(data) in state.runs[-1][-1].name):
            return still()
        file, journal = self._stored(rows, data), ""
        own = [row for row in rows if not row[0].startswith(DERIVED)]
        if own:
            journal = self._stored(own, built(own), "journal").name
        for _ in range(_ATTEMPTS):
            if not still():
                self._discard([file.name, *([journal] if journal else [])])
                return False
            if self.manifest.replace(state, state._replace(runs=(*state.runs, (file,))), journal):
                return True
            state = self.manifest.read()
        raise ArchiveAway("the index of the archive changed too many times")

    def compact(self) -> bool:
        """Write one file of a compaction, and delete files that were replaced long ago. Return whether there may be
        more to do. Safe to repeat, and to interrupt anywhere."""
        self._delete_retired()
        if self._renew_journal():
            return True
        before = self.manifest.read()
        try:
            after = self._compacted(before)
        except DamagedFile:
            return False  # it is noted
        if after is None:
            return False
        if not self.manifest.replace(before, after):
            self._discard(after.names() - before.names())
        return True

    def renew(self) -> None:
        """Let the next compactions write all rows, and the files of the journal, with present names. Safe to repeat."""
        for _ in range(_ATTEMPTS):
            state = self.manifest.read()
            if not state.runs:
                return
            begun = () if state.compaction is None else state.compaction.files
            whole = Compaction(0, len(state.runs), (), "")
            retired = (*state.retired, *((file.name, self._now()) for file in begun))
            if self.manifest.replace(state, state._replace(compaction=whole, renewal=0, retired=retired)):
                return
        raise ArchiveAway("the index of the archive changed too many times")

    def _renew_journal(self) -> bool:
        """Write the next file of the journal with present names. Return whether one was left."""
        before = self.manifest.read()
        if before.renewal is None:
            return False
        new, after = "", before._replace(renewal=None)
        for name, rows in self.journal(before.renewal, before.renewal):
            after = before._replace(renewal=before.renewal + 1)
            renewed = self._renewed(rows)
            if renewed != rows:
                new = self._stored(renewed, built(renewed), "journal").name
                after = after._replace(retired=(*after.retired, (name, self._now())))
        if not self.manifest.replace(before, after, new, before.renewal if new else None) and new:
            self._discard([new])
        return True

    def _renewed(self, rows: Sequence[Entry]) -> list[Entry]:
        """Return these rows with present names."""
        renewals = self._renewals()
        return [
            (key, value if value is None or key[:2] not in renewals else renewals[key[:2]](value))
            for key, value in rows
        ]

    def rebuild(self, more: Callable[[], Iterable[Mapping[bytes, bytes | None]]]) -> None:
        """Replace all runs by new ones. `more` yields batches of entries, and each time those that came since."""
        made = ManifestState()
        while True:
            before = self.manifest.read()
            for entries in more():
                rows = self._renewed(sorted(entries.items()))
                file = self._stored(rows, built(rows))
                made = made._replace(runs=(*made.runs, (file,)))
                while (next_ := self._compacted(made)) is not None:
                    made = next_
            old = [*before.retired, *((file.name, self._now()) for file in before.files())]
            retired = (*made.retired, *old)
            if self.manifest.replace(before, made._replace(retired=retired, renewal=before.renewal)):
                others = [name for name in self.manifest.damaged() if not name.startswith("index/")]
                self.manifest.note_damaged(*others, only=True)
                return

    def journal(self, start: int = 0, last: int = -1) -> Iterator[tuple[str, list[Entry]]]:
        """Yield the journal's files from this position to the last one with their entries; none for a damaged one."""
        for name in self.manifest.journal(start, last):
            try:
                data = self._objects.read(name)
                if digest_of(data) not in name:
                    raise DamagedFile(f"{name}: the name does not follow from the content")
            except (DamagedFile, ObjectMissing) as error:
                log.error("the journal of the archive is damaged: %s", error)
                yield name, []
                continue
            file = described(name, b"", 0, data)
            footer = parsed_footer(file, data[-file.footer :])
            yield name, rows_of(file, footer, 0, len(footer.firsts), data[footer.places[0] :])

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield each damaged or missing file of the index and the journal with what is wrong."""
        for name in [*sorted(file.name for file in self.manifest.read().files()), *self.manifest.journal()]:
            try:
                if digest_of(self._objects.read(name)) not in name:
                    yield name, "the name does not follow from the content"
            except ArchiveAway as error:
                yield name, str(error)

    def _stored(self, rows: Sequence[Entry], data: bytes, folder: str = "index") -> IndexFile:
        """Store a file under a name that is never used again, whatever its content. So deleting a file removes nothing
        that another process wrote."""
        name = f"{folder}/{digest_of(data)}-{secrets.token_hex(4)}.parquet"
        self._objects.create(name, data)
        if self._objects.read(name) != data:
            raise ArchiveAway(f"{name} reads differently than it was written")
        return described(name, rows[0][0], len(rows), data)

    def _discard(self, names: Iterable[str]) -> None:
        """Delete files that did not become visible, if the archive can be reached."""
        with suppress(ArchiveAway):
            for name in names:
                self._objects.delete(name)

    def _delete_retired(self) -> None:
        state, now = self.manifest.read(), self._now()
        old = [name for name, at in state.retired if now - at >= RETIRED_MS]
        for name in old:
            self._objects.delete(name)
        if old:
            kept = tuple(each for each in state.retired if each[0] not in old)
            self.manifest.replace(state, state._replace(retired=kept))

    # 3. Compaction

    def _compacted(self, state: ManifestState) -> ManifestState | None:
        """Write the next file of a compaction, and return the state with it; `None` if nothing is to be compacted."""
        job = state.compaction or _planned(state.runs)
        if job is None:
            return None
        runs = state.runs[job.start : job.end]
        end = self._end_of_file(runs, job.rest.encode())
        found: dict[bytes, bytes | None] = {}
        for run in runs:
            found.update(self._walk(run, job.rest.encode(), end, at_once=FILE_GROUPS))
        rows = self._renewed(sorted(row for row in found.items() if job.start or row[1] is not None))
        files = (*job.files, self._stored(rows, built(rows))) if rows else job.files
        if end != _END:
            return state._replace(compaction=job._replace(files=files, rest=end.decode()))
        gone = [(file.name, self._now()) for run in runs for file in run]
        kept = (*state.runs[: job.start], *([files] if files else []), *state.runs[job.end :])
        return state._replace(runs=kept, retired=(*state.retired, *gone), compaction=None)

    def _end_of_file(self, runs: Sequence[Run], rest: bytes) -> bytes:
        """Return the key before which the next file ends, with at most `FILE_GROUPS` row groups of all runs."""
        run, firsts, most = max(runs, key=_size), list[bytes](), max(1, FILE_GROUPS // len(runs))
        for file in run[max(0, _file_of(run, rest)) :]:
            firsts += (first for first in self._footer(file).firsts if first > rest)
            if len(firsts) > most:
                return firsts[most]
        return _END


def _planned(runs: Sequence[Run]) -> Compaction | None:
    """Return the compaction that is due; `None` if none is."""
    sizes = list(map(_size, runs))
    start = len(runs) - 1
    while start > 0 and sizes[start - 1] < RATIO * sum(sizes[start:]):
        start -= 1
    return Compaction(start, len(runs), (), "") if start < len(runs) - 1 else None


def _size(run: Run) -> int:
    return sum(file.size for file in run)


def _file_of(run: Run, key: bytes) -> int:
    """Return the number of the file that has this key if any of the run has it; -1 before the first."""
    return bisect_right(run, key, key=lambda file: file.first.encode()) - 1


def _aged(age: int, entries: Iterator[Entry]) -> Iterator[tuple[bytes, int, bytes | None]]:
    for key, value in entries:
        yield key, age, value


def _newest(rows: Iterable[tuple[bytes, int, bytes | None]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield of each key the first value, unless it is removed."""
    last = None
    for key, _, value in rows:
        if key != last and value is not None:
            yield key, value
        last = key
