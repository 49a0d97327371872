"""Bot statistics: what a match adds, once, how long figures are kept, and how much a process holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from redis.exceptions import ConnectionError as LostConnection

from league.fitness.model import (
    DAY_S,
    KEPT_DAYS,
    MOST_SERIES,
    REPLAYED_MOVES,
    DayStatistics,
    ThinkingSeries,
    ThinkingTimes,
)
from league.fitness.statistics import MOST_HELD, BotStatistics, statistics_of
from redisio.connection import Redis
from tests.referee.world import CLOCK, ManualClock, World, house, remote, seconds_ago

BOT = "bot-0"
DAY = 20_000


class Days:
    """Seconds since 1970, set by the test."""

    def __init__(self) -> None:
        self.day = DAY

    def __call__(self) -> float:
        return self.day * DAY_S + 1.0


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
def statistics(redis: Redis, days: Days) -> BotStatistics:
    return BotStatistics(redis, days)


@pytest.fixture
def time(redis: Redis) -> ManualClock:
    """Service time."""
    return ManualClock(redis)


@pytest.fixture
def world(redis: Redis, time: ManualClock) -> World:
    return World(redis)


def thought(*ms: int, series: ThinkingSeries | None = None) -> DayStatistics:
    times = ThinkingTimes()
    for each in ms:
        times.add(each)
    return DayStatistics(
        Counter(matches=1), times={series or ThinkingSeries("durak", 1000, 3000, 100): times}
    )


def counted(world: World, match: str) -> dict[str, Counter[str]]:
    """Return the sums of each bot of a match, by its id."""
    return {bot: figures.sums for bot, _, figures in statistics_of(world.look(match))}


# What is counted


def test_moves_of_remote_bots_are_counted_with_their_thinking_times(
    world: World, time: ManualClock, statistics: BotStatistics
) -> None:
    match = world.match([remote(0), house()])
    asked = 0
    while not world.look(match).finished:
        asked += 1
        time.advance(40 + 30 * (asked % 9))
        world.act(match, arrived=seconds_ago(0))
    loaded = world.look(match)
    statistics.on_readable([[loaded]])
    figures = statistics.of(BOT, 1).figures
    assert (figures.sums["matches"], figures.sums["moves"]) == (1, asked)
    (times,) = figures.times.values()
    assert list(figures.times) == [ThinkingSeries("durak", CLOCK.move_ms, CLOCK.bank_ms, CLOCK.increment_ms)]
    assert times.moves == asked
    assert times.max_ms == max(entry.ms for entry in world.log(match) if entry.seat == 0)
    assert times.percentile(50) < times.percentile(99) <= times.max_ms
    assert statistics.of("house/first", 1).figures.sums == Counter()


def test_timeouts_and_the_forfeit_they_cause_are_counted(world: World, time: ManualClock) -> None:
    match = world.match([remote(0), house()])
    while not world.look(match).finished:
        time.advance(CLOCK.move_ms + CLOCK.bank_ms + CLOCK.grace_ms + world.times.settle_ms)
    assert counted(world, match) == {BOT: Counter(matches=1, timeouts=CLOCK.strikes, forfeits=1)}


def test_a_resignation_is_not_counted_as_a_forfeit(world: World, time: ManualClock) -> None:
    match = world.match(2)
    world.referee.resign(match, BOT)
    assert counted(world, match) == {BOT: Counter(matches=1, resigned=1), "bot-1": Counter(matches=1)}


def test_a_no_show_counts_only_if_the_match_waited_for_the_bot(world: World, time: ManualClock) -> None:
    alone = world.match(2, present=False)
    world.referee.show_up(alone, "bot-1")
    open_ = world.match([remote(0), None], present=False)
    broken_off = world.match(2, present=False)
    world.referee.resign(broken_off, "bot-1")
    time.advance(world.times.open_ms)
    for match in (alone, open_):
        world.referee.apply_timeouts(match)
    assert counted(world, alone) == {BOT: Counter(no_shows=1)}
    assert counted(world, open_) == counted(world, broken_off) == {}


def test_a_void_match_is_not_counted_and_one_voided_later_stays_counted(
    world: World, time: ManualClock, statistics: BotStatistics
) -> None:
    void, later = (world.match([remote(0), house()]) for _ in range(2))
    statistics.on_readable([[world.referee.void(void, "a mistake")]])
    statistics.on_readable([[world.play_out(later)]])
    before = statistics.of(BOT, 1)
    assert before.figures.sums["matches"] == 1
    statistics.on_readable([[world.referee.void(later, "a mistake")]])
    assert statistics.of(BOT, 1) == before


# How it is kept


def test_a_repeated_match_is_counted_once(statistics: BotStatistics, days: Days) -> None:
    reported = (BOT, "m1", thought(10, 20))
    statistics.add([reported, reported])
    days.day += 1
    statistics.add([reported])
    assert statistics.of(BOT, 1).figures == DayStatistics()
    assert statistics.of(BOT, 2).figures == thought(10, 20)


def test_series_beyond_the_maximum_share_one_without_a_name(statistics: BotStatistics, days: Days) -> None:
    every = [ThinkingSeries("durak", 1000 + number, 0, 0) for number in range(MOST_SERIES + 2)]
    statistics.add([(BOT, f"m{each.move_ms}", thought(each.move_ms, series=each)) for each in every])
    figures = statistics.of(BOT, 1).figures
    assert set(figures.times) == {*every[:MOST_SERIES], None}
    others = figures.times[None]
    assert (others.moves, others.max_ms) == (2, 1000 + MOST_SERIES + 1)
    days.day += 1
    statistics.add([(BOT, "another day", thought(7, series=every[-1]))])
    assert list(statistics.of(BOT, 1).figures.times) == [every[-1]]


def test_the_requested_days_are_added_up(statistics: BotStatistics, days: Days, redis: Redis) -> None:
    for _ in range(3):
        statistics.note(BOT, [("illegal_move", None), ("stale_turn", None), (REPLAYED_MOVES, None)])
        statistics.flush()
        days.day += 1
    days.day -= 1
    assert statistics.of(BOT, 1).figures.refused == Counter(illegal_move=1, stale_turn=1)
    past = statistics.of(BOT, 3)
    assert past.first_day == DAY
    assert (past.figures.refused["illegal_move"], past.figures.sums[REPLAYED_MOVES]) == (3, 3)
    days.day += KEPT_DAYS
    assert statistics.of(BOT, KEPT_DAYS).figures == DayStatistics()


def test_all_statistics_expire(statistics: BotStatistics, redis: Redis) -> None:
    statistics.add([(BOT, "m1", thought(10))])
    for key in (f"kozyr:{{statistics:{BOT}}}:{DAY}", f"kozyr:{{statistics:{BOT}}}:added"):
        assert 0 < int(redis.one("TTL", key)) <= KEPT_DAYS * DAY_S


# What a process holds


def test_notes_are_kept_until_they_can_be_written(
    statistics: BotStatistics, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(commands: Sequence[Any]) -> Any:
        raise LostConnection("away")

    statistics.note(BOT, [("illegal_move", None)])
    with monkeypatch.context() as patched:
        patched.setattr(redis, "run", away)
        with pytest.raises(LostConnection):
            statistics.flush()
    statistics.note(BOT, [("illegal_move", None)])
    assert statistics.of(BOT, 1).figures.refused == Counter(illegal_move=2)


def test_a_process_holds_a_limited_number_of_notes(statistics: BotStatistics, redis: Redis) -> None:
    for number in range(MOST_HELD + 10):
        statistics.note(f"b{number}", [("illegal_move", None)])
    statistics.note("b0", [("illegal_move", None)])
    assert statistics.of("b0", 1).figures.refused["illegal_move"] == 2
    assert len(redis.one("KEYS", f"kozyr:{{statistics:*}}:{DAY}")) == MOST_HELD
