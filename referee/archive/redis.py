"""The register of the archive in Redis. It lies in the slot of the chain.

kozyr:{chain}:archived  string  number of the last archived record
kozyr:{chain}:segments  list    the segments (JSON), in chain order
kozyr:{chain}:ids       list    match ids of the records that are not archived yet, in chain order. Data of earlier
                                releases lack it; `waiting` completes it
kozyr:{chain}:removed   string  number of segments of which Redis holds nothing any more
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from records.ids import bucket_of
from records.match.session import MatchConfig
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.archive.store import SegmentEntry
from referee.proofs.redis import ARCHIVED, IDS, NUMBERS_KEY, RedisChain
from referee.storage.index import facets
from referee.storage.redis import clock_key, finished_key
from referee.storage.redis_index import list_key

APPEND: Final = Script("referee.archive", "archive_append.lua")
FILL: Final = Script("referee.archive", "archive_fill.lua")
REMOVE: Final = Script("referee.archive", "archive_remove.lua")
REMOVED: Final = Script("referee.archive", "archive_removed.lua")
_SEGMENTS, _REMOVED = "kozyr:{chain}:segments", "kozyr:{chain}:removed"
_CHUNK: Final = 1000


class RedisRegister:
    """The register in Redis."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    def recorded(self) -> int:
        return RedisChain(self.redis).count()

    def archived(self) -> int:
        return int(self.redis.one("GET", ARCHIVED) or 0)

    def waiting(self, most: int) -> list[str]:
        answers = self.redis.run([("GET", ARCHIVED), ("LLEN", IDS)])
        archived, known = (int(checked(answer) or 0) for answer in answers)
        if known < most and archived + known < self.recorded():
            self._fill(archived + known)
        return [match.decode() for match in self.redis.one("LRANGE", IDS, 0, most - 1)]

    def segments(self, start: int = 0) -> list[SegmentEntry]:
        return [SegmentEntry(*orjson.loads(raw)) for raw in self.redis.one("LRANGE", _SEGMENTS, start, -1)]

    def append(self, entry: SegmentEntry) -> bool:
        keys = (ARCHIVED, _SEGMENTS, IDS)
        return bool(self.redis.one(*APPEND.call(keys, entry.first, entry.last, orjson.dumps(list(entry)))))

    def removed(self) -> int:
        return int(self.redis.one("GET", _REMOVED) or 0)

    def set_removed(self, segments: int) -> None:
        self.redis.one(*REMOVED.call((_REMOVED,), segments))

    def remove(self, matches: Sequence[MatchConfig]) -> None:
        lists: dict[str, list[str]] = {}
        commands: list[tuple[Any, ...]] = []
        for match in matches:
            keys = (finished_key(match.id), clock_key(bucket_of(match.id)))
            commands.append(REMOVE.call(keys))
            for facet in facets(match):
                lists.setdefault(facet, []).append(match.id)
        # The matches first: `RedisMatchIndex.feed` relies on it.
        for run in (commands, [("ZREM", list_key(facet, "ended"), *ids) for facet, ids in lists.items()]):
            for answer in self.redis.run(run):
                checked(answer)

    def _fill(self, after: int) -> None:
        """Append the ids of all records after this number, for data that an earlier release wrote."""
        found = sorted((number, match) for match, number in self._numbers() if number > after)
        for start in range(0, len(found), _CHUNK):
            chunk = found[start : start + _CHUNK]
            self.redis.one(*FILL.call((ARCHIVED, IDS), chunk[0][0], *(match for _, match in chunk)))

    def _numbers(self) -> Iterator[tuple[str, int]]:
        """Yield all matches of the chain with their numbers, each once or more often."""
        cursor: Any = 0
        seen: dict[str, int] = {}
        while True:
            cursor, flat = self.redis.one("HSCAN", NUMBERS_KEY, cursor, "COUNT", _CHUNK)
            seen |= {match.decode(): int(number) for match, number in zip(flat[::2], flat[1::2], strict=True)}
            if int(cursor) == 0:
                break
        yield from seen.items()
