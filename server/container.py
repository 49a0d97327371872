"""The container of a process of the service, with the parameters of the settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from league.container.league import LeagueContainer
from league.container.options import ContainerOptions
from referee.archive.objects import ObjectStore
from referee.greenlets import RunInThread
from referee.service.state import Space
from referee.timings import RefereeTimings
from server.config.keys import signing_key
from server.config.settings import Settings
from server.house import HOUSE_BOTS, THINKERS
from server.stored_data import connected
from workers.queue import ENQUEUE_TIMEOUT_S, JobQueue


def job_queue(settings: Settings, timeout: float | None = ENQUEUE_TIMEOUT_S) -> JobQueue:
    """Return RQ, on a connection of its own."""
    return JobQueue(settings.queue_address, timeout=timeout)


def options_of(
    settings: Settings,
    *,
    jobs: Callable[[], JobQueue] | None = None,
    asks_thinkers: bool = False,
    disk: Callable[[], Space] = lambda: Space.AMPLE,
    run_in_thread: RunInThread = lambda call: call(),
) -> ContainerOptions:
    """Return the parameters that the settings give.

    `asks_thinkers` lets this process, a worker, ask the house bots that think. `run_in_thread` calls a function that
    blocks its thread, for processes with greenlets.
    """
    return ContainerOptions(
        connect=partial(connected, settings),
        secret=settings.secret,
        signing_key=partial(signing_key, settings),
        jobs=jobs or partial(job_queue, settings),
        archive=lambda: ObjectStore(settings.archive_place, run_in_thread),
        hot_ms=settings.hot_ms,
        players=HOUSE_BOTS,
        thinkers=THINKERS,
        asks_thinkers=asks_thinkers,
        timings=RefereeTimings(start_ms=settings.start_ms, settle_ms=settings.settle_ms),
        by_invitation=settings.open_registration == "invitation",
        admin_token=settings.admin_token,
        max_waits=settings.max_waits,
        disk=disk,
        run_in_thread=run_in_thread,
    )


class Container(LeagueContainer):
    """The league with the parameters of the settings."""

    def __init__(self, settings: Settings, **more: Any) -> None:
        """`more` are parameters of `options_of`."""
        self.settings = settings
        super().__init__(options_of(settings, **more))
