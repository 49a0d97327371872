"""Bot statistics in Redis. Each bot has a hash tag of its own.

    kozyr:{statistics:BOT}:DAY    hash  sums by name, `refused:CODE`, `times:GAME MOVE BANK INCREMENT` -> histogram (
                                     JSON: max, and counts by bucket), `series` (how many series were requested)
    kozyr:{statistics:BOT}:added  list  the last matches that were added, the latest first

A histogram is one field, since one field per bucket takes ten times the memory. A day with one game and clock takes
about 2 KB and expires `KEPT_DAYS` after its last write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import orjson

from league.fitness.model import (
    DAY_S,
    KEPT_DAYS,
    MOST_SERIES,
    SUMS,
    DayStatistics,
    ThinkingSeries,
    ThinkingTimes,
)
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Command, Script

ADD: Final = Script("league.fitness", "statistics_add.lua")
REMEMBERED: Final = 128
"""How many matches of a bot are remembered. A match is repeated within seconds of its end, or never."""
_REFUSED: Final = "refused"
_TIMES: Final = "times"


class RedisStatisticsStore:
    """The store of bot statistics by day. Days are counted from 1970."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, day: int, figures: Sequence[tuple[str, str | None, DayStatistics]]) -> None:
        """Add figures of bots, each with its match, or `None` for figures without one. A match among the last ones
        added is skipped. Takes one round trip."""
        for answer in self._redis.run([_adding(day, *each) for each in figures]):
            checked(answer)

    def of(self, bot: str, days: Sequence[int]) -> list[DayStatistics]:
        """Return the bot's figures on these days."""
        answers = self._redis.run([("HGETALL", day_key(bot, day)) for day in days])
        return [_figures(checked(flat)) for flat in answers]


def _adding(day: int, bot: str, match: str | None, figures: DayStatistics) -> Command:
    keys = (day_key(bot, day), added_key(bot))
    sums = {**figures.sums, **{f"{_REFUSED}:{code}": count for code, count in figures.refused.items()}}
    times = {
        " ".join(map(str, series)): {
            "max": histogram.max_ms,
            "counts": {str(bucket): count for bucket, count in histogram.counts.items()},
        }
        for series, histogram in figures.times.items()
        if series is not None
    }
    document = orjson.dumps({"sums": sums, "times": times})
    return ADD.call(keys, match or "", REMEMBERED, KEPT_DAYS * DAY_S, MOST_SERIES, document)


def _figures(flat: list[bytes]) -> DayStatistics:
    figures = DayStatistics()
    for raw, value in zip(flat[::2], flat[1::2], strict=True):
        name = raw.decode()
        kind, _, what = name.partition(":")
        if name in SUMS:
            figures.sums[name] += int(value)
        elif kind == _REFUSED:
            figures.refused[what] = int(value)
        elif kind == _TIMES:
            figures.times[_series(what)] = _histogram(orjson.loads(value))
    return figures


def _histogram(document: dict[str, Any]) -> ThinkingTimes:
    return ThinkingTimes(
        Counter({int(bucket): count for bucket, count in document["counts"].items()}), document["max"]
    )


def _series(name: str) -> ThinkingSeries | None:
    if not name:
        return None
    game, *numbers = name.split(" ")
    return ThinkingSeries(game, *map(int, numbers))


def added_key(bot: str) -> str:
    """Return the key of the last matches that were added to a bot's statistics."""
    return f"kozyr:{{statistics:{bot}}}:added"


def day_key(bot: str, day: Any) -> str:
    """Return the key of a bot's statistics of a day."""
    return f"kozyr:{{statistics:{bot}}}:{day}"
