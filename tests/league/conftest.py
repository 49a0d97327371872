"""The stores of the league on an empty Redis, and a clock that tests set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from redisio.connection import Redis
from tests.support.league import LeagueWorld, WallClock


@pytest.fixture
def clock() -> WallClock:
    return WallClock()


@pytest.fixture
def redis(redis_cluster_url: str) -> Iterator[Redis]:
    """Return a connection to an empty Redis with `cluster-enabled`, which refuses scripts whose keys do not share a
    slot."""
    redis = Redis(redis_cluster_url)
    redis.one("FLUSHALL")
    yield redis
    redis.close()


@pytest.fixture
def league(redis: Redis, clock: WallClock) -> LeagueWorld:
    return LeagueWorld(redis, clock)
