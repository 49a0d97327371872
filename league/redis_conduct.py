"""The conduct of bots in Redis. Each bot has a hash tag of its own.

    kozyr:{conduct:BOT}:DAY    hash  sums by name, `refused:CODE`, `series:GAME MOVE BANK INCREMENT` -> number, `series`
                                     (how many asked for one), `NUMBER:BUCKET` -> count, `NUMBER:max` -> ms
    kozyr:{conduct:BOT}:added  list  the last matches that were added, the youngest first

A day's hash has at most `MOST_SERIES` series of `BUCKETS` fields, mostly some hundred fields in all, and is gone
`KEPT_DAYS` after it was last written to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import orjson

from league.conduct import DAY_S, KEPT_DAYS, MOST_SERIES, SUMS, Deeds, Series, Times
from referee.redis_trip import Command, Redis, Script, checked

ADD: Final = Script("league", "conduct_add.lua")
REMEMBERED: Final = 256
"""Matches of a bot that are known again; they are told again within seconds of their end, or not at all."""
_REFUSED: Final = "refused:"
_SERIES: Final = "series:"


class RedisConductStore:
    """The Redis form of `league.conduct.ConductStore`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, day: int, deeds: Sequence[tuple[str, str | None, Deeds]]) -> None:
        """See `ConductStore`."""
        for answer in self._redis.run([_adding(day, *each) for each in deeds]):
            checked(answer)

    def of(self, bot: str, days: Sequence[int]) -> list[Deeds]:
        """See `ConductStore`."""
        answers = self._redis.run([("HGETALL", _day_key(bot, day)) for day in days])
        return [_deeds(checked(flat)) for flat in answers]


def _adding(day: int, bot: str, match: str | None, deeds: Deeds) -> Command:
    keys = (_day_key(bot, day), f"kozyr:{{conduct:{bot}}}:added")
    sums = {**deeds.sums, **{_REFUSED + code: count for code, count in deeds.refused.items()}}
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


def _deeds(flat: list[bytes]) -> Deeds:
    fields = {name.decode(): int(value) for name, value in zip(flat[::2], flat[1::2], strict=True)}
    deeds = Deeds(
        Counter({name: fields[name] for name in SUMS if name in fields}),
        Counter(
            {name.removeprefix(_REFUSED): by for name, by in fields.items() if name.startswith(_REFUSED)}
        ),
    )
    series: dict[int, Series | None] = {0: None}
    for name, value in fields.items():
        if name.startswith(_SERIES):
            series[value] = _series(name.removeprefix(_SERIES))
    for name, value in fields.items():
        number, _, bucket = name.partition(":")
        if not number.isdecimal():
            continue
        times = deeds.times.setdefault(series[int(number)], Times())
        if bucket == "max":
            times.max_ms = value
        else:
            times.counts[int(bucket)] = value
    return deeds


def _series(name: str) -> Series:
    game, *numbers = name.split(" ")
    return Series(game, *map(int, numbers))


def _day_key(bot: str, day: Any) -> str:
    return f"kozyr:{{conduct:{bot}}}:{day}"
