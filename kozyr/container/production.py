"""The container of a process of the service."""

from __future__ import annotations

import logging
import threading
from functools import cached_property

from redis.exceptions import MovedError, RedisError

from kozyr.config.keys import signing_key
from kozyr.config.settings import Settings
from kozyr.container.league import LeagueContainer
from kozyr.container.options import ContainerOptions
from redisio.connection import Redis
from redisio.errors import RefusedByRedis, is_refusal
from referee.archive.objects import ObjectStore, Off
from referee.storage.redis_data_version import claim_data, claim_secret
from referee.timings import RefereeTimings
from workers.queue import ENQUEUE_TIMEOUT_S, JobQueue

log = logging.getLogger(__name__)

DATA_RETRY_S = 0.2
"""How long a process that starts before Redis waits between attempts to connect, in seconds."""


class Container(LeagueContainer):
    """The league with the parameters of the settings."""

    def __init__(
        self, settings: Settings, *, asks_thinkers: bool = False, off: Off = lambda call: call()
    ) -> None:
        """`asks_thinkers` lets this process, a worker, ask the house bots that think and take jobs. `off` calls a
        function that blocks its thread, for processes with greenlets."""
        self.settings = settings
        self._works = asks_thinkers
        super().__init__(
            ContainerOptions(
                connect=lambda: Redis(
                    settings.redis_address,
                    cluster=settings.redis_cluster,
                    wait_replicas=settings.wait_replicas,
                ),
                secret=settings.secret,
                signing_key=lambda: signing_key(settings),
                jobs=lambda: self.queue,
                archive=lambda: ObjectStore(settings.archive_place, off),
                hot_ms=settings.hot_ms,
                asks_thinkers=asks_thinkers,
                timings=RefereeTimings(start_ms=settings.start_ms, settle_ms=settings.settle_ms),
                by_invitation=settings.open_registration == "invitation",
                admin_token=settings.admin_token,
                max_waits=settings.max_waits,
            )
        )

    @cached_property
    def queue(self) -> JobQueue:
        """RQ, on a connection of its own."""
        return JobQueue(
            self.settings.queue_address,
            self.settings.rq_queue,
            timeout=None if self._works else ENQUEUE_TIMEOUT_S,
        )

    def claim(self) -> None:
        """Raise `UnknownDataVersion` for data of another format, `OtherSecret` for those of another secret, and
        redis-py's errors while Redis is away."""
        claim_data(self.redis)
        if self.settings.secret is not None:
            claim_secret(self.redis, self.settings.secret)

    def claim_first(self) -> None:
        """Do what a process does before it serves: `claim`, and try the Redis of the queue. Raise what `claim` raises,
        and `RefusedByRedis` if waiting would not help."""
        try:
            self.claim()
        except RedisError as error:
            _check_refusal("KOZYR_REDIS_URL", error)
            raise
        if self.settings.queue_redis_url is None:
            return
        try:
            self.queue.connection.ping()
        except RedisError as error:
            _check_refusal("KOZYR_QUEUE_REDIS_URL", error)
            log.warning("the Redis of the queue is away: %s", error)

    def await_data(self, stop: threading.Event | None = None) -> None:
        """Wait until Redis answers or `stop` is set. Raise what `claim_first` raises, except redis-py's errors."""
        stop, warned = stop or threading.Event(), False
        while not stop.is_set():
            try:
                self.claim_first()
                return
            except RedisError as error:
                if not warned:
                    log.warning("waiting for Redis, to read the data version: %s", error)
                warned = True
                stop.wait(DATA_RETRY_S)


def _check_refusal(variable: str, error: RedisError) -> None:
    """Raise `RefusedByRedis` if the Redis that this variable names refuses this process."""
    if isinstance(error, MovedError):
        raise RefusedByRedis(
            f"{variable} names a node of a Redis Cluster: set KOZYR_REDIS_CLUSTER=yes"
        ) from error
    if is_refusal(error):
        raise RefusedByRedis(f"this process can't use the Redis of {variable}: {error}") from error
