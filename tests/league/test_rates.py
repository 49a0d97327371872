"""Rate counters: shared by all processes on one Redis, in one round trip, on a plain server and on a cluster."""

from __future__ import annotations

import pytest

from redisio.connection import Redis
from redisio.rate_counters import RedisRateCounters
from tests.support.waiting import eventually


@pytest.fixture
def counters(redis: Redis) -> RedisRateCounters:
    return RedisRateCounters(redis)


def total(counters: RedisRateCounters, key: str) -> int:
    return counters.count(key, 60)[0]


def test_each_key_has_a_count_of_its_own(counters: RedisRateCounters) -> None:
    assert [total(counters, "b1") for _ in range(3)] == [1, 2, 3]
    assert total(counters, "b2") == 1


def test_processes_count_together(redis: Redis) -> None:
    one, other = RedisRateCounters(redis), RedisRateCounters(redis)
    assert [total(counters, "b1") for counters in (one, other, one, other)] == [1, 2, 3, 4]


def test_counting_and_reading_the_rest_take_one_round_trip(redis: Redis, counters: RedisRateCounters) -> None:
    counters.count("b1", 60)
    before = redis.round_trips
    counted, rest = counters.count("b1", 60, 2)
    assert counted == 3
    assert 0 < rest <= 60
    assert redis.round_trips == before + 1


def test_a_window_starts_with_its_first_count_and_ends(redis: Redis, counters: RedisRateCounters) -> None:
    assert [total(counters, "k"), total(counters, "k")] == [1, 2]
    assert 0 < redis.one("PTTL", "kozyr:rate:k") <= 60_000
    redis.one("PEXPIRE", "kozyr:rate:k", 1)
    eventually(lambda: total(counters, "k") == 1, "the window has ended")
