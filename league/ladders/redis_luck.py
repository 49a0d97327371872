"""Luck in the totals of ladders, in Redis.

Its keys are those of the ladders (`league.ladders.redis`), whose scripts let units wait when their matches are
counted. One more key holds cached averages:

    kozyr:luck:usual  hash  `kind part` -> the summed slants of a part of the decks that define an average
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

import orjson

from league.ladders.redis import REMEMBERED
from league.ladders.redis_keys import luck_keys, version_key
from league.results.group_statistics import Estimate, GroupStatistics
from league.results.luck import FIGURES, adjusted
from redisio.connection import Redis
from redisio.scripts import Script

PUT: Final = Script("league.ladders", "luck.lua", "luck_put.lua")

_USUAL: Final = "kozyr:luck:usual"
_LINE: Final = Struct(">15q")
"""As in lua/luck.lua."""


class RedisLuckStore:
    """The store of luck by unit and of the sums by bot."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def waiting(self, ladder: str, most: int) -> dict[str, int]:
        """Return some of the waiting units with their stamps."""
        wait, _, _ = luck_keys(ladder, 1)
        found: dict[str, int] = {}
        cursor = None
        # Scan from the start, so that units that take several jobs come first each time. Finished units leave an empty
        # beginning that needs several scans.
        while cursor != b"0" and len(found) < most:
            cursor, flat = self._redis.one("HSCAN", wait, cursor or 0, "COUNT", most + 1)
            found |= {
                unit.decode(): int(stamp) for unit, stamp in zip(flat[::2], flat[1::2], strict=True) if unit
            }
        return dict(list(found.items())[:most])

    def wait(self, ladder: str) -> bool:
        """Return whether any unit waits."""
        wait, _, _ = luck_keys(ladder, 1)
        # One field holds the last stamp.
        return bool(self._redis.one("HLEN", wait) > 1)

    def put(
        self,
        ladder: str,
        season: int,
        unit: str,
        stamp: int,
        fold: int,
        lines: Sequence[tuple[str, Sequence[int]]],
    ) -> bool:
        """Add a unit's figures by bot and end its waiting. Return false, without effect, unless it waits with this
        stamp."""
        keys = (*luck_keys(ladder, season), version_key(ladder))
        added = orjson.dumps([fold, *([bot, *figures] for bot, figures in lines)]) if lines else ""
        return bool(self._redis.one(*PUT.call(keys, unit, stamp, added)))

    def adjusted(self, ladder: str, season: int, bots: Sequence[str]) -> list[Estimate | None]:
        """Return the adjusted points of each bot (`league.results.luck.adjusted`); `None` without figures."""
        raws = self._redis.one("HMGET", luck_keys(ladder, season)[2], *bots) if bots else []
        return [None if raw is None else _adjusted(raw) for raw in raws]

    def usual(self, kind: str, parts: int) -> list[int | None]:
        """Return the stored parts of an average slant."""
        fields = [f"{kind} {part}" for part in range(parts)]
        return [raw and int(raw) for raw in self._redis.one("HMGET", _USUAL, *fields)]

    def put_usual(self, kind: str, part: int, slants: int) -> None:
        """Store a part of an average slant."""
        self._redis.one("HSET", _USUAL, f"{kind} {part}", slants)


@lru_cache(maxsize=REMEMBERED)
def _adjusted(packed: bytes) -> Estimate | None:
    return adjusted([GroupStatistics.unpacked(line, FIGURES) for line in _LINE.iter_unpack(packed)])
