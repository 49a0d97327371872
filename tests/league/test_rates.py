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


def test_a_window_starts_with_its_first_count_and_ends(redis: Redis, counters: RedisRateCounters) -> None:
    assert [total(counters, "k"), total(counters, "k")] == [1, 2]
    assert 0 < redis.one("PTTL", "kozyr:rate:k") <= 60_000
    redis.one("PEXPIRE", "kozyr:rate:k", 1)
    eventually(lambda: total(counters, "k") == 1, "the window has ended")
