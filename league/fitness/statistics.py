"""Bot statistics: how a bot behaves. Only its owner sees them, since thinking times reveal its thoughts.

Figures are kept by bot and day (UTC) for `KEPT_DAYS`, as sums and histograms. Reading adds up days.

1. Ended matches count once, on the day on which they become readable: moves made, timeouts, forfeits, and the bot's
   thinking times. A thinking time is the `ms` of the record: from the question to the last byte of the move, network
   time included. The matches of a duplicate group count together when it has ended. A match that is void by then does
   not count; one voided later stays counted. The same step adds to the totals by preset, with the facts of the match
   (`league.fitness.facts`).
2. Refused moves count when they are refused, by the code of the problem. The process counts them in memory and writes
   them every second. So a killed process loses its last second, and a Redis that fails during a write may count a
   second twice.

Bot statistics in Redis. Each bot has a hash tag of its own.

    kozyr:{statistics:BOT}:DAY    hash  sums by name, `refused:CODE`, `regret:GAME:PLACE` (`league.fitness.regret`),
                                        `times:GAME MOVE BANK INCREMENT` -> histogram (JSON: max, and counts by bucket),
                                        `series` (how many series were requested)
    kozyr:{regret}:waiting        list  matches whose endings are to be solved, the longest waiting first
    kozyr:{statistics:BOT}:added  list  the last matches that were added, the latest first
    kozyr:{statistics:BOT}:totals hash  `NAME PRESET` -> one of `TOTALS` since the bot's last declaration

A histogram is one field, since one field per bucket takes ten times the memory. A day with one game and clock takes
about 2 KB and expires `KEPT_DAYS` after its last write.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import orjson

from league.accounts.redis import GAMES, PLAYED
from league.fitness.facts import facts_key, totals_key
from league.fitness.model import (
    DAY_S,
    KEPT_DAYS,
    MOST_SERIES,
    REPLAYED_MOVES,
    SUMS,
    DayStatistics,
    MatchTotals,
    ThinkingSeries,
    ThinkingTimes,
)
from records.match.loaded_match import LoadedMatch
from records.match.log import BY_PLAYER, BY_TIMEOUT, parse_log
from records.match.record import preset_of_match
from records.match.session import Ending, MatchConfig, MatchProgress, is_won, places
from redisio.connection import Redis
from redisio.scripts import Command, Script
from redisio.sorted_sets import Place, SortedSetPages

WAITING: Final = "kozyr:{regret}:waiting"
MOST_WAITING: Final = 10_000
"""How many matches wait for their endings to be solved. The latest ones beyond are not."""
MOST_HELD: Final = 10_000
"""How many refusals, by bot and code, a process holds. Beyond that it counts none until they are written."""


class Activity(NamedTuple):
    """What everybody may know of a bot's matches: those that everybody may see."""

    games: int
    """How many it has played; 0 for a house bot, whose matches are not counted."""
    last: int | None
    """When the last one ended, in ms since 1970; `None` without any."""


class PastStatistics(NamedTuple):
    """A bot's figures since the start of this day, counted from 1970."""

    first_day: int
    figures: DayStatistics


class BotStatistics:
    """Bot statistics. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis, now: Callable[[], float] = time.time) -> None:
        """`now` returns seconds since 1970."""
        self._redis, self._now = redis, now
        self._lock = threading.Lock()
        self._held: dict[tuple[str, str, str | None], int] = {}

    # 1. Matches

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that have become readable, each once."""
        self.flush()
        counting = [loaded for loaded_matches in groups for loaded in loaded_matches if not loaded.void]
        entries = [each for loaded in counting for each in statistics_of(loaded)]
        if entries:
            solved = [each.id for each in counting if remote_bots(each.config)]
            self.add(entries, solved=solved)

    def add_regret(self, match: str, figures: Mapping[str, DayStatistics]) -> None:
        """Count the regret of bots in a match, once."""
        self.add([(bot, f"{match} regret", each) for bot, each in figures.items()])

    def add(
        self,
        figures: Sequence[tuple[str, str | None, DayStatistics]],
        refused: Mapping[tuple[str, str, str], int] = MappingProxyType({}),
        solved: Sequence[str] = (),
    ) -> None:
        """Add figures of bots to this day, each with its match, or `None` for figures without one. A match among the
        last ones added is skipped. `refused` has counts by bot, match and code, and `solved` the matches whose endings
        are to be solved. Takes one round trip, and another one to count new matches."""
        day = self._today()
        commands = [_adding(day, *each) for each in figures]
        commands += [
            ("ZADD", PLAYED, "GT", each.totals.ended, bot)
            for bot, _, each in figures
            if each.totals is not None
        ]
        if solved:
            commands += [("RPUSH", WAITING, *solved), ("LTRIM", WAITING, 0, MOST_WAITING - 1)]
        for (bot, match, code), count in refused.items():
            key = facts_key(bot, match)
            # Refusals do not keep thoughts longer: `forget` finds them by the day on which they came.
            commands += [("HINCRBY", key, f"refused:{code}", count), ("EXPIRE", key, KEPT_DAYS * DAY_S, "NX")]
        is_new = self._redis.all(commands)
        self._redis.all(
            [
                ("ZINCRBY", GAMES, 1, bot)
                for (bot, _, each), new in zip(figures, is_new, strict=False)
                if new and each.totals is not None and each.totals.counts.get("matches")
            ]
        )

    # 2. Refusals

    def note(self, bot: str, codes: Sequence[tuple[str, str | None]]) -> None:
        """Count refused moves of a bot by code (`REPLAYED_MOVES` for replays), and for the match that is given with the
        code. No I/O."""
        if not codes:
            return
        with self._lock:
            for code, match in codes:
                key = (bot, code, match)
                if key in self._held or len(self._held) < MOST_HELD:
                    self._held[key] = self._held.get(key, 0) + 1

    def flush(self) -> None:
        """Write the counted refusals. Keep them if the store raises."""
        with self._lock:
            held, self._held = self._held, {}
        if not held:
            return
        by_bot: dict[str, DayStatistics] = {}
        for (bot, code, _), count in held.items():
            figures = by_bot.setdefault(bot, DayStatistics())
            (figures.sums if code == REPLAYED_MOVES else figures.refused)[code] += count
        in_matches = {(bot, match, code): n for (bot, code, match), n in held.items() if match is not None}
        try:
            self.add([(bot, None, figures) for bot, figures in by_bot.items()], in_matches)
        except BaseException:
            with self._lock:
                for key, count in held.items():
                    self._held[key] = self._held.get(key, 0) + count
            raise

    # 3. Reading

    def of(self, bot: str, days: int) -> PastStatistics:
        """Return the bot's figures of the last `days` days, including today and what this process has counted."""
        self.flush()
        today, figures = self._today(), DayStatistics()
        past = range(today - days + 1, today + 1)
        for flat in self._redis.all([("HGETALL", day_key(bot, day)) for day in past]):
            figures.merge(_figures(flat))
        return PastStatistics(past.start, figures)

    def totals(self, bots: Sequence[str]) -> list[dict[str, Counter[str]]]:
        """Return the totals of each of these bots by preset."""
        found: list[dict[str, Counter[str]]] = []
        for flat in self._redis.all([("HGETALL", totals_key(bot)) for bot in bots]):
            by_preset: dict[str, Counter[str]] = {}
            for raw, value in zip(flat[::2], flat[1::2], strict=True):
                name, _, preset = raw.decode().partition(" ")
                by_preset.setdefault(preset, Counter())[name] = int(value)
            found.append(by_preset)
        return found

    def activity(self, bots: Sequence[str]) -> list[Activity]:
        """Return how much each of these bots has played."""
        if not bots:
            return []
        counts, ends = self._redis.all([("ZMSCORE", key, *bots) for key in (GAMES, PLAYED)])
        return [
            Activity(int(float(count or 0)), None if end is None else int(float(end)))
            for count, end in zip(counts, ends, strict=True)
        ]

    def most_active(
        self, by: str, after: tuple[float, str] | None, limit: int
    ) -> tuple[list[str], tuple[float, str] | None]:
        """Return the ids of the bots with the most `games`, or that have played last (`seen`), after this value and id,
        and the position of the next page, if any."""
        pages = SortedSetPages(self._redis, GAMES if by == "games" else PLAYED, descending=True)
        found = pages.after(None if after is None else Place(*after), limit + 1)
        last = found[limit - 1] if len(found) > limit else None
        return [each.member for each in found[:limit]], None if last is None else (last.score, last.member)

    def begin_totals(self, bot: str) -> None:
        """Delete the totals of a bot, which has declared another model."""
        self._redis.one("DEL", totals_key(bot))

    def _today(self) -> int:
        return int(self._now() // DAY_S)


def statistics_of(loaded: LoadedMatch) -> list[tuple[str, str, DayStatistics]]:
    """Return the figures of each remote bot in an ended match, with the ids of bot and match."""
    config, progress = loaded.config, loaded.progress
    remote = remote_bots(config)
    figures = {number: DayStatistics(_sums(config, progress, number)) for number in remote}
    series = ThinkingSeries.of(config.game, config.clock)
    unanswered = Counter[int]()
    for entry in parse_log(loaded.log) if remote else ():
        mine = figures.get(entry.seat)
        if mine is None:
            continue
        if entry.by == BY_TIMEOUT:
            mine.sums["timeouts"] += 1
            unanswered[entry.seat] += 1
        elif entry.by == BY_PLAYER:
            mine.sums["moves"] += 1
            unanswered[entry.seat] = 0
            if entry.answers:
                mine.times.setdefault(series, ThinkingTimes()).add(entry.ms)
    for number, mine in figures.items():
        mine.totals = _totals(config, progress, number, mine.sums, unanswered[number])
    return [(remote[number], loaded.id, mine) for number, mine in figures.items() if mine.sums]


def remote_bots(config: MatchConfig) -> dict[int, str]:
    """Return the ids of the remote bots of a match by seat."""
    return {
        number: seat.id
        for number, seat in enumerate(config.seats)
        if seat is not None and not (seat.house or seat.person)
    }


def _sums(config: MatchConfig, progress: MatchProgress, seat: int) -> Counter[str]:
    sums: Counter[str] = Counter()
    if progress.started is not None:
        sums["matches"] = 1
    if seat in progress.absent:
        sums["no_shows"] = 1
    elif seat in progress.forfeits:
        timed_out = progress.strikes[seat] >= config.clock.strikes
        sums["forfeits" if timed_out else "resigned"] = 1
    return +sums


def _totals(
    config: MatchConfig, progress: MatchProgress, seat: int, sums: Counter[str], unanswered: int
) -> MatchTotals | None:
    """Return what a match adds to the totals of a seat, whose last turns were `unanswered`."""
    if progress.ending == Ending.ABORTED and not sums["no_shows"]:
        return None
    counts = Counter({name: sums[name] for name in ("matches", "moves", "no_shows", "resigned")})
    if sums["matches"]:
        counts["deals"] = progress.number
        counts["won"] = int(is_won(places(progress.scores, progress.forfeits)[seat]))
    silent = sums["forfeits"] > 0 and unanswered >= config.clock.strikes
    counts["too_slow"] = int(sums["forfeits"] > 0 and not silent)
    return MatchTotals(preset_of_match(config), +counts, silent, progress.ended or 0)


def clock_of(series: ThinkingSeries) -> Mapping[str, int]:
    return {name: value for name, value in series._asdict().items() if name != "game"}


ADD: Final = Script("league.fitness", "statistics_add.lua")
REMEMBERED: Final = 128
"""How many matches of a bot are remembered. A match is repeated within seconds of its end, or never."""
_REFUSED: Final = "refused"
_REGRET: Final = "regret"
_TIMES: Final = "times"


def _adding(day: int, bot: str, match: str | None, figures: DayStatistics) -> Command:
    keys = (day_key(bot, day), added_key(bot), totals_key(bot), facts_key(bot, match or ""))
    sums = {
        **figures.sums,
        **{f"{_REFUSED}:{code}": count for code, count in figures.refused.items()},
        **{f"{_REGRET}:{place}": number for place, number in figures.regret.items()},
    }
    times = {
        " ".join(map(str, series)): {
            "max": histogram.max_ms,
            "counts": {str(bucket): count for bucket, count in histogram.counts.items()},
        }
        for series, histogram in figures.times.items()
        if series is not None
    }
    totals = None if figures.totals is None else figures.totals._asdict()
    document = orjson.dumps({"sums": sums, "times": times, **({"totals": totals} if totals else {})})
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
        elif kind == _REGRET:
            figures.regret[what] = int(value)
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
    return f"kozyr:{{statistics:{bot}}}:added"


def day_key(bot: str, day: Any) -> str:
    return f"kozyr:{{statistics:{bot}}}:{day}"
