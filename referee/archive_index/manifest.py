"""The manifest of the index in Redis: one small document, replaced by compare-and-set.

kozyr:{chain}:index    hash  version; state: runs, retired files, the compaction and the renewal under way (JSON)
kozyr:{chain}:journal  list  names of the journal's files, in the order of their writes
kozyr:{chain}:damaged  set   objects of the archive that a process found missing or damaged
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import orjson

from redisio.connection import Redis
from redisio.scripts import Script
from referee.archive_index.parquet import IndexFile

REPLACE: Final = Script("referee.archive_index", "manifest_replace.lua")
INDEX_KEY, JOURNAL_KEY, DAMAGED_KEY = "kozyr:{chain}:index", "kozyr:{chain}:journal", "kozyr:{chain}:damaged"
MOST_DAMAGED: Final = 100
"""How many damaged objects are noted."""

Run = tuple[IndexFile, ...]
"""Files that follow one another by key. They were written, or compacted, together."""


class Compaction(NamedTuple):
    """A compaction under way: runs that become one."""

    start: int
    """The first of these runs in the manifest."""
    end: int
    """The first run after them."""
    files: Run
    """The new run, as far as it is written."""
    rest: str
    """The key from which on it is not written yet."""


class ManifestState(NamedTuple):
    """Which files there are."""

    version: int = 0
    runs: tuple[Run, ...] = ()
    """The oldest first. Later ones override the keys of earlier ones."""
    retired: tuple[tuple[str, int], ...] = ()
    """Files that were replaced, with the instants (ms). They are deleted when nobody reads them any more."""
    compaction: Compaction | None = None
    renewal: int | None = None
    """The position of the journal's next file that gets present names; `None` if none is left."""

    def files(self) -> list[IndexFile]:
        """Return the files of all runs, and of the one that is being written."""
        runs = self.runs if self.compaction is None else (*self.runs, self.compaction.files)
        return [file for run in runs for file in run]

    def names(self) -> set[str]:
        """Return the names of all files, retired ones included."""
        return {file.name for file in self.files()} | {name for name, _ in self.retired}


class Manifest:
    """The manifest in Redis. A process keeps the last state that it read."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._known = ManifestState()

    def read(self) -> ManifestState:
        version = int(self._redis.one("HGET", INDEX_KEY, "version") or 0)
        if version != self._known.version:
            version, state = self._redis.one("HMGET", INDEX_KEY, "version", "state")
            self._known = _state(int(version or 0), state)
        return self._known if version else ManifestState()

    def replace(
        self, before: ManifestState, after: ManifestState, journal: str = "", at: int | None = None
    ) -> bool:
        """Replace the state. Append a file to the journal, or put it `at` this position. Return false, without effect,
        if the state is no longer `before`."""
        state = orjson.dumps([after.runs, after.retired, after.compaction, after.renewal], default=list)
        place = "" if at is None else at
        call = REPLACE.call((INDEX_KEY, JOURNAL_KEY), before.version, state, journal, place)
        return bool(self._redis.one(*call))

    def journal(self, start: int = 0, last: int = -1) -> list[str]:
        """Return the names of the journal's files from this position to the last one."""
        return [name.decode() for name in self._redis.one("LRANGE", JOURNAL_KEY, start, last)]

    def damaged(self) -> list[str]:
        """Return the objects that were found damaged."""
        return sorted(name.decode() for name in self._redis.one("SMEMBERS", DAMAGED_KEY))

    def note_damaged(self, *names: str, only: bool = False) -> None:
        """Note damaged objects; `only` these are damaged."""
        if only:
            self._redis.one("DEL", DAMAGED_KEY)
        if names and self._redis.one("SCARD", DAMAGED_KEY) < MOST_DAMAGED:
            self._redis.one("SADD", DAMAGED_KEY, *names[:MOST_DAMAGED])


def _state(version: int, raw: bytes | None) -> ManifestState:
    if raw is None:
        return ManifestState()
    runs, retired, compaction, *renewal = orjson.loads(raw)
    return ManifestState(
        version,
        tuple(map(_run, runs)),
        tuple((name, at) for name, at in retired),
        None
        if compaction is None
        else Compaction(compaction[0], compaction[1], _run(compaction[2]), compaction[3]),
        renewal[0] if renewal else None,
    )


def _run(files: list[list[Any]]) -> Run:
    return tuple(IndexFile(*file) for file in files)
