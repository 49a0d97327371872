"""The container of a process of the service."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cached_property

from redis.exceptions import RedisError

from referee.archive.objects import ObjectStore
from referee.greenlets import RunInThread
from referee.service.state import Space
from referee.timings import RefereeTimings
from server.config.keys import signing_key
from server.config.settings import Settings
from server.container.league import LeagueContainer
from server.container.options import ContainerOptions
from server.stored_data import connected
from workers.queue import ENQUEUE_TIMEOUT_S, JobQueue


class Container(LeagueContainer):
    """The league with the parameters of the settings."""

    def __init__(
        self,
        settings: Settings,
        *,
        asks_thinkers: bool = False,
        disk: Callable[[], Space] = lambda: Space.AMPLE,
        run_in_thread: RunInThread = lambda call: call(),
    ) -> None:
        """`asks_thinkers` lets this process, a worker, ask the house bots that think and take jobs. `run_in_thread`
        calls a function that blocks its thread, for processes with greenlets."""
        self.settings = settings
        self._works = asks_thinkers
        super().__init__(
            ContainerOptions(
                connect=lambda: connected(settings),
                secret=settings.secret,
                signing_key=lambda: signing_key(settings),
                jobs=lambda: self.queue,
                archive=lambda: ObjectStore(
                    settings.archive_place, run_in_thread, note_away=self._note_archive
                ),
                hot_ms=settings.hot_ms,
                asks_thinkers=asks_thinkers,
                timings=RefereeTimings(start_ms=settings.start_ms, settle_ms=settings.settle_ms),
                by_invitation=settings.open_registration == "invitation",
                admin_token=settings.admin_token,
                max_waits=settings.max_waits,
                disk=disk,
                run_in_thread=run_in_thread,
            )
        )

    def _note_archive(self, is_away: bool) -> None:
        """Show in the metrics whether any process found the archive away. While Redis is away too, that is enough."""
        with contextlib.suppress(RedisError):
            self.load.note_archive(is_away=is_away)

    @cached_property
    def queue(self) -> JobQueue:
        """RQ, on a connection of its own."""
        return JobQueue(
            self.settings.queue_address,
            self.settings.rq_queue,
            timeout=None if self._works else ENQUEUE_TIMEOUT_S,
        )
