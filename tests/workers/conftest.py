"""A plain Redis and a league with wall clocks."""

from __future__ import annotations

import pytest

from redisio.connection import Redis
from tests.support.league import LeagueWorld, WallClock


@pytest.fixture
def redis(plain_redis: Redis) -> Redis:
    """Return a plain Redis: the kind of server doesn't matter here."""
    return plain_redis


@pytest.fixture
def league(redis: Redis) -> LeagueWorld:
    return LeagueWorld(redis, WallClock())
