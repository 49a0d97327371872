"""The stores of the league on both kinds of Redis, and a clock that tests set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from redisio.connection import Redis
from tests.support.league import LeagueWorld, WallClock


@pytest.fixture
def clock() -> WallClock:
    return WallClock()


@pytest.fixture(params=["plain", "cluster"])
def redis(request: pytest.FixtureRequest) -> Iterator[Redis]:
    """Return a connection to a plain server, and to one with `cluster-enabled`, which refuses scripts whose keys do
    not share a slot. The database is empty."""
    url = request.getfixturevalue("redis_url" if request.param == "plain" else "redis_cluster_url")
    redis = Redis(url)
    redis.one("FLUSHALL")
    yield redis
    redis.close()


@pytest.fixture
def league(redis: Redis, clock: WallClock) -> LeagueWorld:
    return LeagueWorld(redis, clock)
