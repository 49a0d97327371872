"""How a bot behaves: what its owner is told of it and nobody else, since how long a move takes tells of thinking.

Kept by bot and day (UTC) for `KEPT_DAYS`, as sums and histograms; reading adds up days and reckons nothing anew.

1. Of matches that are over, each once, on the day on which it may first be read: moves made, timeouts, forfeits, and
   how long the bot's own moves took, as records have it (`ms`: from the question to the last byte of the move, the way
   there and back included). So the matches of a duplicate group are counted all at once, when it is over. A match that
   was void by then is not counted; one that is void later stays counted, for what was done was done.
2. Of moves that were refused, each when it was, by the code of its problem. They are counted in the process that
   refused them and written every second: a process that is killed loses what it counted in its last second, and a Redis
   that goes away in the middle of a write may count one second twice.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from league.fitness.model import DayStatistics, ThinkingSeries, ThinkingTimes
from league.fitness.store import StatisticsStore
from referee.match.loaded_match import LoadedMatch
from referee.match.log import BY_PLAYER, BY_TIMEOUT, parse_log
from referee.match.session import MatchConfig, MatchProgress

KEPT_DAYS: Final = 30
DAY_S: Final = 86_400
MOST_SERIES: Final = 16
"""So many pairs of a game and a clock are told apart on a day; what comes beyond is counted together, under neither."""
MOST_HELD: Final = 10_000
"""Refusals by bot and code that a process holds; beyond them it counts no more until they are written."""
REPLAYED_MOVES: Final = "replayed_moves"
SUMS: Final = ("matches", "moves", REPLAYED_MOVES, "timeouts", "forfeits", "no_shows", "resigned")
"""What is counted besides refusals; see `api.schemas.statistics` for what each is."""


class PastStatistics(NamedTuple):
    """What a bot did since the beginning of this day, counted from 1970."""

    first_day: int
    deeds: DayStatistics


class BotStatistics:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(self, store: StatisticsStore, start_ms: int, now: Callable[[], float] = time.time) -> None:
        """`start_ms` is how long the seats of a match have to show up; `now` tells seconds since 1970."""
        self._store, self._start_ms, self._now = store, start_ms, now
        self._lock = threading.Lock()
        self._held: dict[tuple[str, str], int] = {}

    # 1. Matches

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that may be read; again is once."""
        counting = [live for lives in groups for live in lives if not live.void]
        told = [each for live in counting for each in statistics_of(live, self._start_ms)]
        if told:
            self._store.add(self._today(), told)

    # 2. Refusals

    def note(self, bot: str, codes: Sequence[str]) -> None:
        """Moves of a bot were refused, with these codes (`REPLAYED_MOVES`: made before). Asks nobody."""
        if not codes:
            return
        with self._lock:
            for code in codes:
                key = (bot, code)
                if key in self._held or len(self._held) < MOST_HELD:
                    self._held[key] = self._held.get(key, 0) + 1

    def flush(self) -> None:
        """Write what was noted. What can't be written is held on to, and raises what the store does."""
        with self._lock:
            held, self._held = self._held, {}
        if not held:
            return
        by_bot: dict[str, DayStatistics] = {}
        for (bot, code), count in held.items():
            deeds = by_bot.setdefault(bot, DayStatistics())
            (deeds.sums if code == REPLAYED_MOVES else deeds.refused)[code] += count
        try:
            self._store.add(self._today(), [(bot, None, deeds) for bot, deeds in by_bot.items()])
        except BaseException:
            with self._lock:
                for key, count in held.items():
                    self._held[key] = self._held.get(key, 0) + count
            raise

    # 3. Reading

    def of(self, bot: str, days: int) -> PastStatistics:
        """What the bot did today and on the days before, so many in all; what this process has noted is in it."""
        self.flush()
        today, deeds = self._today(), DayStatistics()
        for each in self._store.of(bot, range(today - days + 1, today + 1)):
            deeds.merge(each)
        return PastStatistics(today - days + 1, deeds)

    def _today(self) -> int:
        return int(self._now() // DAY_S)


def statistics_of(live: LoadedMatch, start_ms: int) -> list[tuple[str, str, DayStatistics]]:
    """What each remote bot did in a match that is over, by the bot's id and the match's."""
    config, progress = live.config, live.progress
    remote = {
        number: seat.id for number, seat in enumerate(config.seats) if seat is not None and not seat.house
    }
    deeds = {number: DayStatistics(_sums(config, progress, number, start_ms)) for number in remote}
    series = ThinkingSeries.of(config.game, config.clock)
    for entry in parse_log(live.log) if remote else ():
        mine = deeds.get(entry.seat)
        if mine is None:
            continue
        if entry.by == BY_TIMEOUT:
            mine.sums["timeouts"] += 1
        elif entry.by == BY_PLAYER:
            mine.sums["moves"] += 1
            if entry.answers:
                mine.times.setdefault(series, ThinkingTimes()).add(entry.ms)
    return [(remote[number], live.id, mine) for number, mine in deeds.items() if mine.sums]


def _sums(config: MatchConfig, progress: MatchProgress, seat: int, start_ms: int) -> Counter[str]:
    sums: Counter[str] = Counter()
    if progress.started is not None:
        sums["matches"] = 1
    if seat not in progress.shown:
        # One whose seats were never taken asked nobody to come, and one that was broken off early did not wait.
        waited = None not in config.seats and (progress.ended or 0) - config.created >= start_ms
        sums["no_shows"] = int(waited)
    elif seat in progress.forfeits:
        timed_out = progress.strikes[seat] >= config.clock.strikes
        sums["forfeits" if timed_out else "resigned"] = 1
    return +sums


def clock_of(series: ThinkingSeries) -> Mapping[str, int]:
    """The clock of a series."""
    return {name: value for name, value in series._asdict().items() if name != "game"}
