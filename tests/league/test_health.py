"""Health: bad matches in a row suspend a bot, and passing a check ends the suspension."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from league.accounts.model import Bot
from league.errors import EntryRefused, NothingToPlay
from league.fitness.checks import RedisCheckStore
from league.fitness.health import Fitness
from league.fitness.model import CheckVerdict, ConformanceCheck, HealthUpdate
from league.ladders.model import Ladder
from records.ids import new_match_id
from redisio.connection import Redis
from tests.support.league import LeagueWorld, ServiceTime, WallClock


@pytest.fixture
def store(redis: Redis) -> Fitness:
    return Fitness(redis)


def update(ended: int, *, bad: bool) -> HealthUpdate:
    return HealthUpdate("b1", f"m{ended}", ended, "did not show up" if bad else None)


def is_suspended(store: Fitness) -> bool:
    return store.of(["b1"])["b1"].suspended is not None


def passed(redis: Redis, bot: str, ended: int, reasons: tuple[str, ...] = ()) -> None:
    """Store a check of the bot with this verdict."""
    checks, check = RedisCheckStore(redis), ConformanceCheck(new_match_id(), bot, "1", "durak", 0)
    assert checks.begin(check, None)
    checks.decide(check, CheckVerdict(ended, list(reasons)))


@pytest.mark.parametrize(
    ("bad", "suspended"),
    [
        ([True, True], False),
        ([True, True, True], True),
        ([True, True, False, True, True], False),
        ([False, True, True, True, False], True),
    ],
)
def test_three_bad_matches_in_a_row_suspend_and_a_good_one_resets_the_count(
    store: Fitness, bad: list[bool], suspended: bool
) -> None:
    store.count([update(number + 1, bad=each) for number, each in enumerate(bad)])
    assert is_suspended(store) is suspended


def test_a_repeated_match_counts_once_and_matches_count_in_the_order_of_their_ends(store: Fitness) -> None:
    one = update(1, bad=True)
    store.count([one, one, one, one])
    assert not is_suspended(store)
    store.count([update(5, bad=True), update(3, bad=False), update(4, bad=True)])
    assert not is_suspended(store)
    store.count([update(6, bad=True)])
    assert is_suspended(store)


def test_a_bad_match_that_is_counted_after_a_later_good_one_completes_its_row(store: Fitness) -> None:
    store.count([update(ended, bad=ended != 4) for ended in (1, 2, 4)])
    assert not is_suspended(store)
    store.count([update(3, bad=True)])
    assert is_suspended(store)


@pytest.mark.parametrize("order", [(1, 2, 4), (4, 2, 1)], ids=["in order", "in reverse"])
def test_a_good_match_that_is_counted_after_a_later_bad_one_breaks_its_row(
    store: Fitness, order: Sequence[int]
) -> None:
    store.count([update(ended, bad=True) for ended in order])
    assert is_suspended(store)
    store.count([update(5, bad=False)])
    assert is_suspended(store), "it ended after the row"
    store.count([update(3, bad=False)])
    assert not is_suspended(store)


def test_later_good_matches_end_no_suspension_however_many_they_are(store: Fitness) -> None:
    store.count([update(ended, bad=ended <= 3) for ended in range(1, 41)])
    store.count([update(ended, bad=False) for ended in range(1, 41) if ended > 3])
    assert is_suspended(store)


@pytest.mark.parametrize(
    ("void", "suspended"), [((1,), True), ((2,), False), ((3, 4), False), ((5,), True), ((6,), True)]
)
def test_a_match_voided_later_is_not_bad(store: Fitness, void: tuple[int, ...], suspended: bool) -> None:
    store.count([update(ended, bad=ended not in (1, 5)) for ended in (1, 2, 3, 4, 5)])
    assert is_suspended(store)
    store.forget([("b1", f"m{ended}") for ended in void])
    assert is_suspended(store) is suspended


def test_passing_a_check_ends_a_suspension_and_forgives_earlier_matches(store: Fitness, redis: Redis) -> None:
    bad = [update(ended, bad=True) for ended in (1, 2, 3)]
    store.count(bad)
    passed(redis, "b1", 4, ("turn 1 timed out",))
    assert is_suspended(store), "it has not passed"
    passed(redis, "b1", 5)
    store.count(bad)
    health = store.of(["b1"])["b1"]
    assert health.suspended is None
    assert health.passed is not None
    store.count([update(ended, bad=True) for ended in (6, 7)])
    assert not is_suspended(store)
    store.count([update(8, bad=True)])
    assert is_suspended(store)


@pytest.mark.parametrize(
    ("ends", "suspended"), [((3, 4, 5), True), ((2, 3, 4), False), ((1, 2, 3, 4, 5), True)]
)
def test_a_pass_forgives_no_match_that_ended_after_its_check(
    store: Fitness, redis: Redis, ends: tuple[int, ...], suspended: bool
) -> None:
    store.count([update(ended, bad=True) for ended in ends])
    assert is_suspended(store)
    passed(redis, "b1", 2)
    assert is_suspended(store) is suspended
    store.count([update(6, bad=True)])
    assert is_suspended(store)


def after_a_round(league: LeagueWorld, *, waits: bool = True) -> tuple[Ladder, Bot]:
    """Return a ladder and a bot that did not show up for the three matches of a round, or whose matches were aborted
    before it had to."""
    service_time = ServiceTime(league.redis)
    _, bot = league.bot("ann", "fool")
    ladder = league.ladder("a1", repeats=3, state="open")
    league.ladders.enter(ladder.id, bot)
    of = league.rounds.start(ladder.id)
    league.finish(ladder.id, of.number)
    if waits:
        service_time.go(1_000)
    for loaded in list(league.matches()):
        league.referee.abort(loaded.id)
    league.run()
    return ladder, bot


def test_a_match_that_ended_before_its_bot_had_to_show_up_is_not_bad(league: LeagueWorld) -> None:
    _, bot = after_a_round(league, waits=False)
    assert league.ladders.fitness.of([bot.id])[bot.id].suspended is None


def test_a_suspended_bot_gets_no_matches_and_enters_no_ladders_until_it_passes_a_check(
    redis: Redis, clock: WallClock
) -> None:
    league = LeagueWorld(redis, clock, start_ms=1_000)
    ladder, bot = after_a_round(league)
    suspension = league.ladders.fitness.of([bot.id])[bot.id].suspended
    assert suspension is not None
    assert suspension.reason.startswith("3 bad matches in a row")
    assert "did not show up" in suspension.reason
    with pytest.raises(NothingToPlay):
        league.rounds.start(ladder.id)
    other = league.ladder("a1", state="open")
    with pytest.raises(EntryRefused, match="passing a conformance check ends the suspension"):
        league.ladders.enter(other.id, bot)
    passed(league.redis, bot.id, suspension.at + 1)
    assert league.ladders.enter(other.id, bot).bot == bot.id
    assert league.rounds.start(ladder.id).planned == 3


def test_a_match_voided_by_an_admin_counts_against_no_bot(redis: Redis, clock: WallClock) -> None:
    league = LeagueWorld(redis, clock, start_ms=1_000)
    ladder, bot = after_a_round(league)
    assert league.ladders.fitness.of([bot.id])[bot.id].suspended is not None
    league.referee.void(next(league.matches()).id, "our network was down")
    league.run()
    assert league.ladders.fitness.of([bot.id])[bot.id].suspended is None
    assert league.rounds.start(ladder.id).planned == 3
