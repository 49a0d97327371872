"""The container of a process of the service."""

from __future__ import annotations

import logging
import threading
from functools import cached_property

from redis.exceptions import RedisError

from kozyr.config.keys import signing_key
from kozyr.config.settings import Settings
from kozyr.container.league import LeagueContainer
from kozyr.container.options import ContainerOptions
from redisio.connection import Redis
from referee.storage.redis_data_version import claim_data
from referee.timings import RefereeTimings
from workers.queue import JobQueue

log = logging.getLogger(__name__)

DATA_RETRY_S = 0.2
"""How long a process that starts before Redis waits between attempts to connect, in seconds."""


class Container(LeagueContainer):
    """The league with the parameters of the settings."""

    def __init__(self, settings: Settings, *, asks_thinkers: bool = False) -> None:
        """`asks_thinkers` lets this process ask the house bots that think."""
        self.settings = settings
        super().__init__(
            ContainerOptions(
                connect=lambda: Redis(settings.redis_address, cluster=settings.redis_cluster),
                secret=settings.secret,
                signing_key=lambda: signing_key(settings),
                jobs=lambda: self.queue,
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
        return JobQueue(self.settings.redis_address, self.settings.rq_queue)

    def await_data(self, stop: threading.Event | None = None) -> None:
        """Wait until Redis answers or `stop` is set. Raise `UnknownDataVersion` for data of another format."""
        stop, warned = stop or threading.Event(), False
        while not stop.is_set():
            try:
                claim_data(self.redis)
                return
            except RedisError as error:
                if not warned:
                    log.warning("waiting for Redis, to read the data version: %s", error)
                warned = True
                stop.wait(DATA_RETRY_S)
