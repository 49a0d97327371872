"""A plain Redis and a league with wall clocks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from redisio.connection import Redis
from tests.support.league import LeagueWorld, WallClock


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    redis = Redis(redis_url)
    redis.one("FLUSHALL")
    yield redis
    redis.close()


@pytest.fixture
def league(redis: Redis) -> LeagueWorld:
    return LeagueWorld(redis, WallClock())
