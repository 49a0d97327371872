"""Rate counters: shared by all processes on one Redis, in one round trip, on a plain server and on a cluster."""

from __future__ import annotations

import pytest
from limits import RateLimitItemPerMinute
from limits.strategies import FixedWindowRateLimiter

from redisio.connection import Redis
from redisio.rate_storage import RedisRates
from tests.support.waiting import eventually

PER_MINUTE = RateLimitItemPerMinute(3, namespace="requests")


@pytest.fixture
def counters(redis: Redis) -> RedisRates:
    return RedisRates(redis=redis)


def test_requests_beyond_the_rate_are_refused(counters: RedisRates) -> None:
    strategy = FixedWindowRateLimiter(counters)
    assert [strategy.hit(PER_MINUTE, "b1") for _ in range(4)] == [True, True, True, False]
    assert strategy.hit(PER_MINUTE, "b2"), "another client has a count of its own"


def test_processes_count_together(redis: Redis) -> None:
    one, other = (FixedWindowRateLimiter(RedisRates(redis=redis)) for _ in range(2))
    assert [strategy.hit(PER_MINUTE, "b1") for strategy in (one, other, one, other)] == [True] * 3 + [False]
    assert other.get_window_stats(PER_MINUTE, "b1").remaining == 0


def test_counting_and_reading_the_rest_take_one_round_trip(redis: Redis, counters: RedisRates) -> None:
    strategy = FixedWindowRateLimiter(counters)
    strategy.hit(PER_MINUTE, "b1")
    before = redis.round_trips
    strategy.hit(PER_MINUTE, "b1", cost=2)
    assert strategy.get_window_stats(PER_MINUTE, "b1").remaining == 0
    assert redis.round_trips == before + 1


def test_reading_without_counting_gives_the_same_rest(counters: RedisRates, redis: Redis) -> None:
    strategy = FixedWindowRateLimiter(counters)
    strategy.hit(PER_MINUTE, "b1")
    counted = strategy.get_window_stats(PER_MINUTE, "b1")
    looked = FixedWindowRateLimiter(RedisRates(redis=redis)).get_window_stats(PER_MINUTE, "b1")
    assert looked.remaining == counted.remaining == 2
    assert abs(looked.reset_time - counted.reset_time) < 30


def test_a_window_starts_with_its_first_request_and_ends(counters: RedisRates) -> None:
    counters.incr("k", 1)
    assert counters.incr("k", 1) == 2
    eventually(lambda: counters.incr("k", 1) == 1, 10, "the window ends by itself")


def test_a_counter_can_be_cleared(counters: RedisRates) -> None:
    counters.incr("k", 60, 5)
    counters.clear("k")
    assert (counters.get("k"), counters.check()) == (0, True)
