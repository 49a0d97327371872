"""The RQ worker: no fork (a forking one takes ten times as long for a small job), no scheduler of RQ's own.

SIGTERM or SIGINT ends it after the job in hand, so within a second or two. RQ's worker gives up when Redis goes away
in the middle of a job; another is made in its place then, until Redis is back.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar, Final

from redis.exceptions import RedisError
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer

from workers import context, jobs

PAUSE_S: Final = 1.0

log = logging.getLogger(__name__)


class OwnJob(Job):
    """A job that calls a function of `workers.jobs` and nothing else, whatever was put into the queue: RQ would import
    and call any function that a job names, so whoever could write to Redis could run what he likes here."""

    @property
    def func(self) -> Callable[..., Any]:
        """See RQ. Raises `NotOurs`."""
        module, _, name = str(self.func_name).rpartition(".")
        found = getattr(jobs, name, None)
        if (
            module != jobs.__name__
            or getattr(found, "__module__", None) != module
            or self.instance is not None
        ):
            raise NotOurs(f"{self.func_name} is no job of ours")
        called: Callable[..., Any] = found  # type: ignore[assignment]  # it is there, or would not name its module
        return called

    @property
    def success_callback(self) -> None:
        """There is none."""

    @property
    def failure_callback(self) -> None:
        """There is none."""

    @property
    def stopped_callback(self) -> None:
        """There is none."""


class NotOurs(Exception):
    """A job that is not one of `workers.jobs`."""


class RqWorker(SimpleWorker):
    """RQ's worker, which remembers that it was told to stop (it ends for other reasons too)."""

    told_to_stop: ClassVar[bool] = False
    max_connection_wait_time = 2.0  # s between two tries, when Redis is away; RQ's own is a minute

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """RQ's handler of SIGTERM and SIGINT."""
        RqWorker.told_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """In the place of RQ's, which writes into the log all that the exception says."""
        log.error("job %s failed", job.id, exc_info=exc_info)


def make_worker(services: context.WorkerServices) -> RqWorker:
    """A worker whose jobs work with these services."""
    context.use(services)
    queue = services.queue
    return RqWorker(
        [queue.queue, queue.idle], connection=queue.connection, serializer=JSONSerializer, job_class=OwnJob
    )


def run_worker(services: context.WorkerServices) -> None:
    """Do jobs until told to stop. Call it in the main thread: RQ minds signals."""
    RqWorker.told_to_stop = False
    while not _told_to_stop():
        try:
            make_worker(services).work(with_scheduler=False, logging_level="WARNING")
        except (RedisError, StopRequested) as why:
            log.warning("the worker broke off: %s", why)
        if not _told_to_stop():
            log.warning("the worker goes on in %s s", PAUSE_S)
            with contextlib.suppress(StopRequested, RedisError):
                time.sleep(PAUSE_S)  # signals are still the last worker's to handle


def _told_to_stop() -> bool:
    return RqWorker.told_to_stop
