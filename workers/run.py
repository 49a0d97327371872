"""The RQ worker, which neither forks nor uses RQ's scheduler. Forking would make a small job take ten times as long.

SIGTERM or SIGINT stops it after the current job, within a second or two. RQ's worker gives up when Redis fails during
a job; this module then creates new workers until Redis is back.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar, Final

from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import UnixSignalDeathPenalty

from workers import context, jobs

AGAIN_S: Final = 0.01
"""How long a timeout waits for the end of a round trip before it looks again."""


PAUSE_S: Final = 1.0
IDLE_EVERY: Final = 8
"""Every job with such a number comes from the idle queue, so that endless rounds do not starve it."""
HOUSE_EVERY: Final = 3
"""The same for turns of house bots."""

log = logging.getLogger(__name__)


class JobTimeout(UnixSignalDeathPenalty):
    """RQ's timeout, which raises wherever the job is, but for round trips to Redis: it waits for their end.

    A round trip has a timeout of its own. An exception between two of its bytecodes could leave the connection, which
    the threads of the process share, without anybody to drive it.
    """

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        """Handle SIGALRM."""
        if is_in_round_trip(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            super().handle_death_penalty(signum, frame)  # type: ignore[no-untyped-call]  # RQ's


def is_in_round_trip(frame: FrameType | None) -> bool:
    """Return whether this frame runs for `redisio`."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] == "redisio":
            return True
        frame = frame.f_back
    return False


class OwnJob(Job):
    """A job that calls only functions of `workers.jobs`.

    RQ itself imports and calls any function that a job names, so write access to Redis would allow running any code.
    """

    @property
    def func(self) -> Callable[..., Any]:
        """The function of the job. Raise `NotOurs` if it is not in `workers.jobs`."""
        module, _, name = str(self.func_name).rpartition(".")
        found = getattr(jobs, name, None)
        if (
            module != jobs.__name__
            or getattr(found, "__module__", None) != module
            or self.instance is not None
        ):
            raise NotOurs(f"{self.func_name} is not a job of this application")
        called: Callable[..., Any] = found  # type: ignore[assignment]  # `None` would have failed the check of its module
        return called

    success_callback = failure_callback = stopped_callback = None  # callbacks are not used


class NotOurs(Exception):
    """A job that names no function of `workers.jobs`."""


class RqWorker(SimpleWorker):
    """RQ's worker, which remembers a request to stop, since it also ends for other reasons."""

    stop_requested: ClassVar[bool] = False
    death_penalty_class = JobTimeout
    max_connection_wait_time = 2.0  # s between retries while Redis is away; RQ's default is a minute
    idle: Queue | None = None
    """The queue that comes first for every `IDLE_EVERY`-th job."""
    house: Queue | None = None
    """The queue that comes first for every `HOUSE_EVERY`-th job."""
    _taken = 0

    def reorder_queues(self, reference_queue: Queue) -> None:
        """Choose the order of the queues for the next job. RQ calls this after it took one."""
        self._taken += 1
        turns = {self.idle: IDLE_EVERY, self.house: HOUSE_EVERY}
        first = [queue for queue, every in turns.items() if queue and (self._taken + 1) % every == 0]
        self._ordered_queues = [*first, *(queue for queue in self.queues if queue not in first)]

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Handle SIGTERM and SIGINT."""
        RqWorker.stop_requested = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's

    def stop_listening(self) -> None:
        """End the thread that listens for commands, which RQ ends only if Redis answers."""
        thread: Any = self.pubsub_thread
        if thread is not None:
            # redis-py forgets a stop that comes before the thread runs.
            thread._running.wait(PAUSE_S)
            thread.stop()

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log a failed job. RQ's own handler writes the full text of the exception into the log."""
        log.error("job %s failed", job.id, exc_info=exc_info)


def make_worker(services: context.WorkerServices) -> RqWorker:
    """Return a worker whose jobs use these services."""
    context.use(services)
    queue = services.queue
    worker = RqWorker(
        [queue.queue, queue.house, queue.helping, queue.idle],
        connection=queue.connection,
        serializer=JSONSerializer,
        job_class=OwnJob,
    )
    worker.idle, worker.house = queue.idle, queue.house
    return worker


def run_worker(services: context.WorkerServices) -> None:
    """Run jobs until a signal stops the worker. Must run in the main thread, since RQ handles signals."""
    RqWorker.stop_requested = False
    while not _stop_requested():
        worker: RqWorker | None = None
        try:
            worker = make_worker(services)
            worker.work(with_scheduler=False, logging_level="WARNING")
        except (RedisError, StopRequested) as why:
            log.warning("the worker was interrupted: %s; it restarts in %s s", why, PAUSE_S)
            if worker is not None:
                worker.stop_listening()
        if not _stop_requested():
            with contextlib.suppress(StopRequested, RedisError):
                time.sleep(PAUSE_S)  # the last worker still handles signals


def _stop_requested() -> bool:
    return RqWorker.stop_requested
