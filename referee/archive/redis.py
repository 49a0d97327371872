"""The register of the archive in Redis, and what finished matches leave besides. It lies in the slot of the chain.

kozyr:{chain}:archived  string  number of the last archived record
kozyr:{chain}:segments  list    the segments (JSON), in chain order
kozyr:{chain}:ids       list    match ids of the records that are not archived yet, in chain order
kozyr:{chain}:removed   string  number of segments of which Redis holds nothing any more
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import orjson

from records.ids import bucket_of
from records.match.loaded_match import LoadedMatch
from records.match.session import MatchConfig
from redisio.connection import Redis
from redisio.scripts import Script
from referee.proofs.redis import ARCHIVED, IDS, RedisChain
from referee.storage.index import facets
from referee.storage.redis import RedisMatchStore, clock_key, finished_key
from referee.storage.redis_index import list_key

APPEND: Final = Script("referee.archive", "archive_append.lua")
REMOVE: Final = Script("referee.archive", "archive_remove.lua")
REMOVED: Final = Script("referee.archive", "archive_removed.lua")
_SEGMENTS, _REMOVED = "kozyr:{chain}:segments", "kozyr:{chain}:removed"
_CHUNK: Final = 256


class SegmentEntry(NamedTuple):
    name: str
    first: int
    last: int
    records: int
    size: int
    """Bytes."""
    ended: int
    """The last end of its matches, in ms since 1970."""


class Leftovers(Protocol):
    """What a package stores about finished matches, and moves to the index with them."""

    def entries(self, matches: Sequence[MatchConfig]) -> Mapping[bytes, bytes]:
        """Return the entries of the index that replace what Redis has."""

    def remove(self, entries: Mapping[bytes, bytes]) -> None:
        """Remove from Redis what these entries contain, except where it changed meanwhile."""


class RedisRegister:
    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    def recorded(self) -> int:
        """Return how many records the chain has."""
        return RedisChain(self.redis).count()

    def archived(self) -> int:
        """Return the number of the last archived record, 0 if there is none."""
        return int(self.redis.one("GET", ARCHIVED) or 0)

    def waiting(self, most: int) -> list[str]:
        """Return the matches of the records that follow the last archived one, at most `most`."""
        return [match.decode() for match in self.redis.one("LRANGE", IDS, 0, most - 1)]

    def segments(self, start: int = 0) -> list[SegmentEntry]:
        """Return the segments from this position on, in chain order."""
        return [SegmentEntry(*orjson.loads(raw)) for raw in self.redis.one("LRANGE", _SEGMENTS, start, -1)]

    def append(self, entry: SegmentEntry) -> bool:
        """Append a segment. Return whether it follows the last archived record; otherwise nothing changes."""
        keys = (ARCHIVED, _SEGMENTS, IDS)
        return bool(self.redis.one(*APPEND.call(keys, entry.first, entry.last, orjson.dumps(list(entry)))))

    def removed(self) -> int:
        """Return the number of segments whose matches have left Redis."""
        return int(self.redis.one("GET", _REMOVED) or 0)

    def set_removed(self, segments: int) -> None:
        """Store the number of segments that have left Redis. Never lowers it."""
        self.redis.one(*REMOVED.call((_REMOVED,), segments))

    def remove(self, matches: Sequence[MatchConfig]) -> None:
        """Remove these stored matches and their places in lists. A missing match stays missing."""
        lists: dict[str, list[str]] = {}
        commands: list[tuple[Any, ...]] = []
        for match in matches:
            keys = (finished_key(match.id), clock_key(bucket_of(match.id)))
            commands.append(REMOVE.call(keys))
            for facet in facets(match):
                lists.setdefault(facet, []).append(match.id)
        # The matches first: `RedisMatchIndex.feed` relies on it.
        for run in (commands, [("ZREM", list_key(facet, "ended"), *ids) for facet, ids in lists.items()]):
            self.redis.all(run)


def waiting(
    register: RedisRegister, store: RedisMatchStore, window: int
) -> Iterator[tuple[str, LoadedMatch | None]]:
    """Yield the ids and matches that are not archived, in chain order, and `None` for one that can't be read.

    Asks for `window` ids first, and for twice as many each further time.
    """
    seen: set[str] = set()
    while True:
        ids = register.waiting(window)
        # By id, not by place: another process may have archived the first ones meanwhile.
        new = [match for match in ids if match not in seen]
        for start in range(0, len(new), _CHUNK):
            chunk = new[start : start + _CHUNK]
            yield from zip(chunk, store.read(chunk), strict=True)
        if len(ids) < window:
            return
        seen.update(new)
        window *= 2
