"""The register of the archive in Redis. It lies in the slot of the chain.

kozyr:{chain}:archived  string  number of the last archived record
kozyr:{chain}:segments  list    the segments (JSON), in chain order
kozyr:{chain}:ids       list    match ids of the records that are not archived yet, in chain order. Data of earlier
                                releases lack it; `waiting` completes it
kozyr:{chain}:pointed   string  number of segments whose matches are all replaced by pointers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.archive.store import SegmentEntry
from referee.proofs.redis import ARCHIVED, IDS, LINKS_KEY, NUMBERS_KEY
from referee.storage.pointer import Pointer
from referee.storage.redis import FORMAT_1, finished_key

APPEND: Final = Script("referee.archive", "archive_append.lua")
FILL: Final = Script("referee.archive", "archive_fill.lua")
POINT: Final = Script("referee.archive", "archive_point.lua")
POINTED: Final = Script("referee.archive", "archive_pointed.lua")
_SEGMENTS, _POINTED = "kozyr:{chain}:segments", "kozyr:{chain}:pointed"
_CHUNK: Final = 1000


class RedisRegister:
    """The register in Redis."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    def archived(self) -> int:
        return int(self.redis.one("GET", ARCHIVED) or 0)

    def waiting(self, most: int) -> list[str]:
        answers = self.redis.run([("GET", ARCHIVED), ("LLEN", IDS), ("STRLEN", LINKS_KEY)])
        archived, known, links = (int(checked(answer) or 0) for answer in answers)
        if archived + known < links // 32 and known < most:
            self._fill(archived + known)
        return [match.decode() for match in self.redis.one("LRANGE", IDS, 0, most - 1)]

    def segments(self, start: int = 0) -> list[SegmentEntry]:
        return [SegmentEntry(*orjson.loads(raw)) for raw in self.redis.one("LRANGE", _SEGMENTS, start, -1)]

    def append(self, entry: SegmentEntry) -> bool:
        keys = (ARCHIVED, _SEGMENTS, IDS)
        return bool(self.redis.one(*APPEND.call(keys, entry.first, entry.last, orjson.dumps(list(entry)))))

    def pointed(self) -> int:
        return int(self.redis.one("GET", _POINTED) or 0)

    def set_pointed(self, segments: int) -> None:
        self.redis.one(*POINTED.call((_POINTED,), segments))

    def point(self, pointers: Mapping[str, Pointer]) -> None:
        commands = [
            POINT.call((finished_key(match),), pointer.to_bytes(), FORMAT_1)
            for match, pointer in pointers.items()
        ]
        for answer in self.redis.run(commands):
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
            pairs = flat.items() if isinstance(flat, dict) else zip(flat[::2], flat[1::2], strict=True)
            seen |= {match.decode(): int(number) for match, number in pairs}
            if int(cursor) == 0:
                break
        yield from seen.items()
