"""Bot statistics in Redis. Each bot has a hash tag of its own, which still has the name of release 0.1.0.

    kozyr:{conduct:BOT}:DAY    hash  sums by name, `refused:CODE`, `times:GAME MOVE BANK INCREMENT` -> histogram (JSON:
                                     max, and counts by bucket), `series` (how many asked for one of these)
    kozyr:{conduct:BOT}:added  list  the last matches that were added, the youngest first

A histogram is one field, since a field for each bucket takes ten times the memory: a day with one game and clock
takes some 2 KB, and is gone `KEPT_DAYS` after it was last written to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import orjson

from league.fitness.model import DayStatistics, ThinkingSeries, ThinkingTimes
from league.fitness.statistics import DAY_S, KEPT_DAYS, MOST_SERIES, REPLAYED_MOVES, SUMS
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Command, Script

ADD: Final = Script("league.fitness", "statistics_add.lua")
REMEMBERED: Final = 256
"""Matches of a bot that are known again; they are told again within seconds of their end, or not at all."""
_REFUSED: Final = "refused"
_TIMES: Final = "times"
_RENAMED: Final = {"sent_again": REPLAYED_MOVES}
"""Since release 0.1.0."""


class RedisStatisticsStore:
    """The Redis form of `league.fitness.statistics.BotStatisticsStore`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, day: int, deeds: Sequence[tuple[str, str | None, DayStatistics]]) -> None:
        for answer in self._redis.run([_adding(day, *each) for each in deeds]):
            checked(answer)

    def of(self, bot: str, days: Sequence[int]) -> list[DayStatistics]:
        answers = self._redis.run([("HGETALL", _day_key(bot, day)) for day in days])
        return [_deeds(checked(flat)) for flat in answers]


def _adding(day: int, bot: str, match: str | None, deeds: DayStatistics) -> Command:
    keys = (_day_key(bot, day), f"kozyr:{{conduct:{bot}}}:added")
    sums = {**deeds.sums, **{f"{_REFUSED}:{code}": count for code, count in deeds.refused.items()}}
    times = {
        " ".join(map(str, series)): {
            "max": of.max_ms,
            "counts": {str(bucket): count for bucket, count in of.counts.items()},
        }
        for series, of in deeds.times.items()
        if series is not None
    }
    said = orjson.dumps({"sums": sums, "times": times})
    return ADD.call(keys, match or "", REMEMBERED, KEPT_DAYS * DAY_S, MOST_SERIES, said)


def _deeds(flat: list[bytes]) -> DayStatistics:
    deeds = DayStatistics()
    for raw, value in zip(flat[::2], flat[1::2], strict=True):
        name = raw.decode()
        kind, _, what = name.partition(":")
        name = _RENAMED.get(name, name)
        if name in SUMS:
            deeds.sums[name] += int(value)
        elif kind == _REFUSED:
            deeds.refused[what] = int(value)
        elif kind == _TIMES:
            deeds.times[_series(what)] = _histogram(orjson.loads(value))
    return deeds


def _histogram(said: dict[str, Any]) -> ThinkingTimes:
    return ThinkingTimes(
        Counter({int(bucket): count for bucket, count in said["counts"].items()}), said["max"]
    )


def _series(name: str) -> ThinkingSeries | None:
    if not name:
        return None
    game, *numbers = name.split(" ")
    return ThinkingSeries(game, *map(int, numbers))


def _day_key(bot: str, day: Any) -> str:
    return f"kozyr:{{conduct:{bot}}}:{day}"
