"""Redis's clock jumps three hours ahead for a while: nothing waits for these hours afterwards."""

from __future__ import annotations

import pytest

from league.accounts.idempotency import Idempotency
from league.accounts.presence import Presence
from league.ladders.model import ROUNDS, SEASONS
from league.ladders.schedule import Continuous, Schedule
from redisio.connection import Redis
from redisio.rate_counters import RedisRateCounters
from referee.storage.redis_index import RESERVE
from tests.support.league import LeagueWorld, WallClock

HOURS = 3 * 3_600_000
LEASE = 10_000


def test_seasons_end_by_their_schedule(league: LeagueWorld, clock: WallClock) -> None:
    schedule = Schedule("*/5 * * * *")
    ladder = league.ladder("a1", "a2", state="running", season_cron=schedule.cron).id
    clock.ms += HOURS
    league.seasons.tick()
    clock.ms -= HOURS
    league.due_instants.tick()
    assert league.ladders.store.due_at(SEASONS, ladder) == schedule.look(clock.ms)


@pytest.mark.parametrize("cron", [Schedule("* * * * *"), Continuous()])
def test_rounds_follow_the_schedule(
    league: LeagueWorld, clock: WallClock, cron: Schedule | Continuous
) -> None:
    ladder = league.ladder("a1", "a2", cron=cron, state="running").id
    clock.ms += HOURS
    league.rounds.tick()
    assert league.start() == 1
    league.finish(ladder, 1)
    league.started.clear()
    clock.ms -= HOURS
    league.due_instants.tick()
    started = 0
    for _ in range(2):  # the next instant has been played while the clock was ahead
        clock.ms += 60_000
        league.rounds.tick()
        started += league.start()
    assert started == 1


def test_checks_come_at_once(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder("a1", "a2", state="running").id
    league.ladders.store.set_due(ROUNDS, ladder, clock.ms + HOURS)
    assert league.due_instants.tick() >= 1
    assert league.ladders.store.due_at(ROUNDS, ladder) == clock.ms


def test_what_is_due_as_usual_is_left_alone(league: LeagueWorld, clock: WallClock) -> None:
    for cron in ("* * * * *", "0 0 1 1 *"):
        ladder = league.ladder("a1", "a2", cron=cron, state="running").id
        league.rounds.tick()
        league.ladders.store.set_due(ROUNDS, ladder, clock.ms + 5_000)
    assert league.due_instants.tick() == 0
    clock.ms += 61_000  # a start that is due and not made stays due
    assert league.due_instants.tick() == 0


def test_a_lease_from_the_future_is_free(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder("a1", "a2", state="running").id
    league.rounds.start(ladder)
    clock.ms += HOURS
    assert league.ladders.store.take_lease(ladder, 1, "one", LEASE).held
    clock.ms -= HOURS
    assert league.ladders.store.take_lease(ladder, 1, "two", LEASE).held
    assert not league.ladders.store.take_lease(ladder, 1, "three", LEASE).held


def test_a_request_from_the_future_may_be_sent_again(redis: Redis, clock: WallClock) -> None:
    keys = Idempotency(redis, "p" * 32)
    assert keys.begin("token", "k1", "body") is None
    (key,) = redis.one("KEYS", "kozyr:idempotency:*")
    redis.one("HINCRBY", key, "until", HOURS)
    assert Idempotency(redis, "p" * 32).begin("token", "k1", "body") is None


def test_a_window_from_the_future_begins_anew(redis: Redis) -> None:
    counters = RedisRateCounters(redis)
    counters.count("bot", 60, 5)
    redis.one("PEXPIRE", "kozyr:rate:bot", HOURS)
    assert counters.count("bot", 60)[1] <= 60
    assert redis.one("PTTL", "kozyr:rate:bot") <= 60_000


def test_a_slot_from_the_future_is_free(redis: Redis) -> None:
    redis.one("ZADD", "{bot}reserved", 4_000_000_000_000, "m1/gone")
    call = RESERVE.call(("{bot}active", "{bot}reserved"), "m2", "one", 1, 10_000)
    assert redis.one(*call) == 1


def test_presence_from_the_future_ends(redis: Redis, clock: WallClock) -> None:
    presence = Presence(redis, lambda: 0.0, clock)
    clock.ms += HOURS
    presence.seen("b1")
    clock.ms -= HOURS
    assert presence.online(["b1"]) == set()
    again = Presence(redis, lambda: 0.0, clock)
    again.seen("b1")
    assert again.online(["b1"]) == {"b1"}
