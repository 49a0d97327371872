"""Bot statistics: how a bot behaves. Only its owner sees them, since thinking times reveal its thoughts.

Figures are kept by bot and day (UTC) for `KEPT_DAYS`, as sums and histograms. Reading adds up days.

1. Ended matches count once, on the day on which they become readable: moves made, timeouts, forfeits, and the bot's
   thinking
   times. A thinking time is the `ms` of the record: from the question to the last byte of the move, network time
included. The
   matches of a duplicate group count together when it has ended. A match that is void by then does not count; one
voided later
   stays counted.
2. Refused moves count when they are refused, by the code of the problem. The process counts them in memory and writes
   them every
   second. So a killed process loses its last second, and a Redis that fails during a write may count a second twice.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from league.fitness.model import DAY_S, REPLAYED_MOVES, DayStatistics, ThinkingSeries, ThinkingTimes
from league.fitness.redis_statistics import RedisStatisticsStore
from referee.match.loaded_match import LoadedMatch
from referee.match.log import BY_PLAYER, BY_TIMEOUT, parse_log
from referee.match.session import MatchConfig, MatchProgress

MOST_HELD: Final = 10_000
"""How many refusals, by bot and code, a process holds. Beyond that it counts none until they are written."""


class PastStatistics(NamedTuple):
    """A bot's figures since the start of this day, counted from 1970."""

    first_day: int
    figures: DayStatistics


class BotStatistics:
    """Bot statistics. Safe to share between greenlets and threads."""

    def __init__(
        self, store: RedisStatisticsStore, start_ms: int, now: Callable[[], float] = time.time
    ) -> None:
        """`start_ms` is the time to show up; `now` returns seconds since 1970."""
        self._store, self._start_ms, self._now = store, start_ms, now
        self._lock = threading.Lock()
        self._held: dict[tuple[str, str], int] = {}

    # 1. Matches

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that have become readable, each once."""
        counting = [loaded for loaded_matches in groups for loaded in loaded_matches if not loaded.void]
        entries = [each for loaded in counting for each in self.of_match(loaded)]
        if entries:
            self._store.add(self._today(), entries)

    def of_match(self, loaded: LoadedMatch) -> list[tuple[str, str, DayStatistics]]:
        """Return the figures of each remote bot in an ended match (`statistics_of`)."""
        return statistics_of(loaded, self._start_ms)

    # 2. Refusals

    def note(self, bot: str, codes: Sequence[str]) -> None:
        """Count refused moves of a bot by code (`REPLAYED_MOVES` for replays). No I/O."""
        if not codes:
            return
        with self._lock:
            for code in codes:
                key = (bot, code)
                if key in self._held or len(self._held) < MOST_HELD:
                    self._held[key] = self._held.get(key, 0) + 1

    def flush(self) -> None:
        """Write the counted refusals. Keep them if the store raises."""
        with self._lock:
            held, self._held = self._held, {}
        if not held:
            return
        by_bot: dict[str, DayStatistics] = {}
        for (bot, code), count in held.items():
            figures = by_bot.setdefault(bot, DayStatistics())
            (figures.sums if code == REPLAYED_MOVES else figures.refused)[code] += count
        try:
            self._store.add(self._today(), [(bot, None, figures) for bot, figures in by_bot.items()])
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
        for each in self._store.of(bot, range(today - days + 1, today + 1)):
            figures.merge(each)
        return PastStatistics(today - days + 1, figures)

    def _today(self) -> int:
        return int(self._now() // DAY_S)


def statistics_of(loaded: LoadedMatch, start_ms: int) -> list[tuple[str, str, DayStatistics]]:
    """Return the figures of each remote bot in an ended match, with the ids of bot and match."""
    config, progress = loaded.config, loaded.progress
    remote = {
        number: seat.id
        for number, seat in enumerate(config.seats)
        if seat is not None and not (seat.house or seat.person)
    }
    figures = {number: DayStatistics(_sums(config, progress, number, start_ms)) for number in remote}
    series = ThinkingSeries.of(config.game, config.clock)
    for entry in parse_log(loaded.log) if remote else ():
        mine = figures.get(entry.seat)
        if mine is None:
            continue
        if entry.by == BY_TIMEOUT:
            mine.sums["timeouts"] += 1
        elif entry.by == BY_PLAYER:
            mine.sums["moves"] += 1
            if entry.answers:
                mine.times.setdefault(series, ThinkingTimes()).add(entry.ms)
    return [(remote[number], loaded.id, mine) for number, mine in figures.items() if mine.sums]


def _sums(config: MatchConfig, progress: MatchProgress, seat: int, start_ms: int) -> Counter[str]:
    sums: Counter[str] = Counter()
    if progress.started is not None:
        sums["matches"] = 1
    if seat not in progress.shown:
        # A match with open seats invited no bot, and one that was aborted early did not wait for any.
        waited = None not in config.seats and (progress.ended or 0) - config.created >= start_ms
        sums["no_shows"] = int(waited)
    elif seat in progress.forfeits:
        timed_out = progress.strikes[seat] >= config.clock.strikes
        sums["forfeits" if timed_out else "resigned"] = 1
    return +sums


def clock_of(series: ThinkingSeries) -> Mapping[str, int]:
    """Return the clock of a series."""
    return {name: value for name, value in series._asdict().items() if name != "game"}
