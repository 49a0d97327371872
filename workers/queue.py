"""The job queue: RQ with its JSON serializer (never pickle), on a connection of its own.

RQ's keys do not share a slot, so a Redis Cluster needs a separate plain Redis for the queue.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.exceptions import DuplicateJobError, InvalidJobOperation, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.utils import utcparse

from league.ratings.model import preset_id

JOB_TIMEOUT_S: Final = 60
"""A job needs a second or two; one that takes a minute hangs."""
FAILURE_TTL_S: Final = 300
MOST_HELPERS: Final = 64
"""How many helpers are asked for at once."""
LOOKED_THROUGH: Final = 10_000
"""How many queued jobs are searched for a job's position."""
_OVER: Final = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELED, JobStatus.STOPPED})

log = logging.getLogger(__name__)


class JobQueue:
    """A queue of jobs with unique ids. Safe to share between greenlets and threads."""

    def __init__(self, url: str, name: str = "kozyr") -> None:
        # A worker waits for its next job with a blocking command, so the socket has no timeout.
        self.connection: Any = redis.Redis.from_url(
            url, protocol=2, socket_timeout=None, socket_connect_timeout=5
        )
        self.queue = Queue(
            name, connection=self.connection, serializer=JSONSerializer, default_timeout=JOB_TIMEOUT_S
        )
        self.idle = Queue(
            f"{name}-idle",
            connection=self.connection,
            serializer=JSONSerializer,
            default_timeout=JOB_TIMEOUT_S,
        )
        """Jobs that are not urgent. They run when the other queues are empty."""
        self.helping = Queue(
            f"{name}-helping",
            connection=self.connection,
            serializer=JSONSerializer,
            default_timeout=JOB_TIMEOUT_S,
        )
        """Jobs for workers that have nothing else to do."""

    def enqueue(self, name: str, job_id: str, *args: Any, queue: Queue | None = None) -> bool:
        """Enqueue a call of the function with this name in `workers.jobs` with JSON-ready arguments, by default in the
        urgent queue. Return whether a job was added: not if a job with this id waits or runs. A finished job may be
        enqueued again."""
        for _ in range(2):
            try:
                (queue or self.queue).enqueue_call(
                    f"workers.jobs.{name}",
                    args=args,
                    job_id=job_id,
                    unique=True,
                    result_ttl=0,
                    failure_ttl=FAILURE_TTL_S,
                    description=job_id,
                )
            except DuplicateJobError:
                if not self._forget_if_over(job_id):
                    return False
            else:
                return True
        return False

    def play_house(self, match: str, version: int) -> None:
        """Enqueue the moves of a match's house bots at this version."""
        self.enqueue("play_house", f"house-{match}-{version}", match)

    def wake_round(self, ladder: str, number: int, epoch: int) -> None:
        """Enqueue work on a round (`league.rounds.Wake`). The id contains the epoch, so the job of a dead worker,
        which RQ considers running for a while, does not block it."""
        self.enqueue("play_round", f"round-{ladder}-{number}-{epoch}", ladder, number)

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        """Enqueue help with a round (`league.rounds.helping.WorkerPool`)."""
        if self.helping.count == 0:
            for _ in range(min(helpers, MOST_HELPERS)):
                self.keep_helping(ladder, number)

    def keep_helping(self, ladder: str, number: int) -> None:
        """Enqueue one more job that helps with a round."""
        job_id = f"help-{ladder}-{number}-{secrets.token_hex(8)}"
        self.enqueue("help_round", job_id, ladder, number, queue=self.helping)

    def workers(self) -> int:
        """Return how many workers RQ knows. It takes minutes to forget one that was killed."""
        return int(Worker.count(queue=self.queue))

    def start_due(self, ladder: str, due: int) -> None:
        """Enqueue the start of a due round (`league.rounds.StartDue`)."""
        self.enqueue("start_round", f"due-{ladder}-{due}", ladder, due)

    def wake_ratings(self, preset: str) -> None:
        """Enqueue ratings of a preset (`league.ratings.book.Wake`). The id changes every five seconds, so the job of
        a dead worker does not block it for longer."""
        self.enqueue("rate", f"rate-{preset_id(preset)}-{time.time() // 5:.0f}", preset)

    def before_start(self, ladder: str) -> int | None:
        """Return how many jobs precede the start of a round; `None` if none waits."""
        return self._before(f"due-{ladder}-")

    def before_round(self, ladder: str, number: int) -> int | None:
        """Return how many jobs precede the work on a round; `None` if none waits."""
        return self._before(f"round-{ladder}-{number}-")

    def wake_luck(self, ladder: str) -> None:
        """Enqueue luck of a ladder (`league.ladders.adjusted_points.Wake`). The id changes every half second, the
        duration of the job."""
        self.enqueue("adjust", f"luck-{ladder}-{2 * time.time():.0f}", ladder, queue=self.idle)

    def length(self) -> int:
        """Return how many jobs wait."""
        return int(self.queue.count)

    def oldest_ms(self) -> dict[str, int]:
        """Return by queue for how many ms its first job has waited; 0 for an empty queue."""
        return {queue.name: self._waited_ms(queue) for queue in (self.queue, self.idle)}

    def close(self) -> None:
        """Close the connections."""
        self.connection.close()

    def _waited_ms(self, queue: Queue) -> int:
        first = self.connection.lindex(queue.key, 0)
        since = first and self.connection.hget(Job.key_for(first.decode()), "enqueued_at")
        if not since:
            return 0  # a worker took it meanwhile
        return max(0, round((datetime.now(UTC) - utcparse(since.decode())).total_seconds() * 1000))

    def _before(self, prefix: str) -> int | None:
        """Return how many jobs precede the first whose id starts with `prefix`, among the first `LOOKED_THROUGH`."""
        waiting = self.connection.lrange(self.queue.key, 0, LOOKED_THROUGH - 1)
        wanted = prefix.encode()
        return next((place for place, each in enumerate(waiting) if each.startswith(wanted)), None)

    def _forget_if_over(self, job_id: str) -> bool:
        try:
            job = Job.fetch(job_id, connection=self.connection, serializer=JSONSerializer)
            if job.get_status() not in _OVER:
                return False
            job.delete()
        except (NoSuchJobError, InvalidJobOperation):
            pass  # it ended before the fetch, or before its status was read
        return True


class OldestJobs:
    """The waiting times of the oldest jobs, extrapolated from the last look at the queues."""

    def __init__(
        self, oldest_ms: Callable[[], Mapping[str, int]], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._oldest_ms, self._monotonic = oldest_ms, monotonic
        self._seen: Mapping[str, int] = {}
        self._seen_at = monotonic()

    def look(self) -> None:
        """Read the queues. While Redis is away, the last reading stands."""
        try:
            self._seen = self._oldest_ms()
        except RedisError as error:
            log.debug("can't read the queues: %s", error)
            return
        self._seen_at = self._monotonic()

    def waits(self) -> dict[str, int]:
        """Return by queue for how many ms its oldest job has waited by now. No I/O."""
        since = round((self._monotonic() - self._seen_at) * 1000)
        return {queue: ms + since if ms else 0 for queue, ms in self._seen.items()}
