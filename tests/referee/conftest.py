"""The referee's Redis: a plain server, the same client on a server with cluster-enabled, and a cluster client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis as redis_py

from redisio.connection import Redis
from tests.referee.world import ManualClock, World


def emptied(url: str, *, cluster: bool = False) -> Iterator[Redis]:
    with redis_py.Redis.from_url(url, protocol=2) as client:
        client.flushall()
    ours = Redis(url, cluster=cluster)
    yield ours
    ours.client.close()


@pytest.fixture(params=["plain", "cluster-enabled"])
def redis(request: pytest.FixtureRequest) -> Iterator[Redis]:
    """Our connection to an empty Redis, of either kind."""
    name = "redis_url" if request.param == "plain" else "redis_cluster_url"
    yield from emptied(request.getfixturevalue(name))


@pytest.fixture(params=["plain", "cluster-enabled", "cluster client"])
def any_redis(request: pytest.FixtureRequest) -> Iterator[Redis]:
    """The same, and a cluster client besides: for the contracts of what stores."""
    name = "redis_url" if request.param == "plain" else "redis_cluster_url"
    yield from emptied(request.getfixturevalue(name), cluster=request.param == "cluster client")


@pytest.fixture
def clock(redis: Redis) -> ManualClock:
    """Service time, moved by hand."""
    return ManualClock(redis)


@pytest.fixture
def world(redis: Redis, clock: ManualClock) -> World:
    """A referee whose time stands still until it is moved."""
    return World(redis)
