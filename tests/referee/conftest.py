"""Connections to an empty Redis, and a referee on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis as redis_py

from records.ids import CLUSTER_BUCKETS, use_buckets
from redisio.connection import Redis
from tests.referee.world import ManualClock, World


def emptied(url: str, *, cluster: bool = False) -> Iterator[Redis]:
    with redis_py.Redis.from_url(url, protocol=2) as client:
        client.flushall()
    ours = Redis(url, cluster=cluster)
    use_buckets(CLUSTER_BUCKETS if cluster else 1)
    yield ours
    ours.close()


@pytest.fixture
def redis(redis_cluster_url: str) -> Iterator[Redis]:
    """Return a connection to an empty Redis with `cluster-enabled`, which refuses scripts whose keys do not share a
    slot."""
    yield from emptied(redis_cluster_url)


@pytest.fixture(params=["plain", "cluster client"])
def any_redis(request: pytest.FixtureRequest) -> Iterator[Redis]:
    """Return a connection to a plain Redis, or one through a cluster client, for the contracts of stores."""
    name = "redis_url" if request.param == "plain" else "redis_cluster_url"
    yield from emptied(request.getfixturevalue(name), cluster=request.param == "cluster client")


@pytest.fixture
def clock(redis: Redis) -> ManualClock:
    """Return the service time, which tests set."""
    return ManualClock(redis)


@pytest.fixture
def world(redis: Redis, clock: ManualClock) -> World:
    """Return a referee whose time stands still until a test sets it."""
    return World(redis)
