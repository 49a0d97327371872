"""What each process checks before it serves: that it may use Redis, and that it reads the data there."""

from __future__ import annotations

import contextlib
import logging
from typing import Final

from redis.exceptions import MovedError, RedisError

from redisio.address import client_for
from redisio.connection import Redis
from redisio.errors import RefusedByRedis, is_refusal
from referee.storage.redis_data_version import claim_data, claim_secret
from server.config.settings import Settings
from server.league_identity import LeagueIdentity
from workers.stop_request import StopRequest

RETRY_S: Final = 0.2
"""How long a process that starts before Redis waits between attempts to connect, in seconds."""
QUEUE_TIMEOUT_S: Final = 1.0
"""How long the Redis of the queue may take to answer, in seconds."""

MAY_LOSE_WRITES: Final = (
    "KOZYR_WAIT_REPLICAS is 0 and Redis has replicas: a failover may lose acknowledged writes"
)

log = logging.getLogger(__name__)


def connected(settings: Settings) -> Redis:
    """Return the Redis of the settings. It connects with the first command."""
    return Redis(settings.redis_address, cluster=settings.redis_cluster, wait_replicas=settings.wait_replicas)


def claim(redis: Redis, settings: Settings) -> None:
    """Do what `claim_formats` does, and raise `WrongLeague` for data of another league."""
    LeagueIdentity(redis, settings).claim()  # first: a lost Redis is left as it is
    claim_formats(redis, settings)


def claim_formats(redis: Redis, settings: Settings) -> None:
    """Raise `UnknownDataVersion` for data of another format, `OtherSecret` for those of another secret, and redis-py's
    errors while Redis is away."""
    claim_data(redis)
    if settings.secret is not None:
        claim_secret(redis, settings.secret)


def claim_first(redis: Redis, settings: Settings) -> None:
    """Do what a process does before it serves: `claim`, and try the Redis of the queue. Raise what `claim` raises, and
    `RefusedByRedis` if waiting would not help."""
    try:
        claim(redis, settings)
    except RedisError as error:
        _check_refusal("KOZYR_REDIS_URL", error)
        raise
    if redis.may_lose_writes:
        log.warning("%s", MAY_LOSE_WRITES)
    if settings.queue_redis_url is None:
        return
    try:
        with contextlib.closing(
            client_for(settings.queue_address, timeout=QUEUE_TIMEOUT_S, connect_timeout=QUEUE_TIMEOUT_S)
        ) as queue:
            queue.ping()
    except RedisError as error:
        _check_refusal("KOZYR_QUEUE_REDIS_URL", error)
        log.warning("the Redis of the queue is away: %s", error)


def await_data(redis: Redis, settings: Settings, stop: StopRequest | None = None) -> None:
    """Wait until Redis answers or `stop` is set. Raise what `claim_first` raises, except redis-py's errors."""
    stop, warned = stop or StopRequest(), False
    while not stop.is_set():
        try:
            claim_first(redis, settings)
            return
        except RedisError as error:
            if not warned:
                log.warning("waiting for Redis, to read the data version: %s", error)
            warned = True
            stop.wait(RETRY_S)


def _check_refusal(variable: str, error: RedisError) -> None:
    """Raise `RefusedByRedis` if the Redis that this variable names refuses this process."""
    if isinstance(error, MovedError):
        raise RefusedByRedis(
            f"{variable} names a node of a Redis Cluster: set KOZYR_REDIS_CLUSTER=yes"
        ) from error
    if is_refusal(error):
        raise RefusedByRedis(f"this process can't use the Redis of {variable}: {error}") from error
