"""The queue of jobs: RQ with its JSON serializer (never pickle), on a connection of its own.

On a Redis Cluster RQ's keys do not share a slot: give it the address of a plain Redis there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import redis
from redis.exceptions import RedisError
from rq import Queue
from rq.exceptions import DuplicateJobError, InvalidJobOperation, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.utils import utcparse

from league.ratings import preset_id

JOB_TIMEOUT_S: Final = 60
"""A job is worth a second or two of work; one that takes a minute hangs."""
FAILURE_TTL_S: Final = 300
LOOKED_THROUGH: Final = 10_000
"""How far into the queue a job's place is looked for."""
_OVER: Final = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELED, JobStatus.STOPPED})

log = logging.getLogger(__name__)


class JobQueue:
    """Jobs by unique ids. Safe to share between greenlets and threads."""

    def __init__(self, url: str, name: str = "kozyr") -> None:
        # A worker waits for its next job with a blocking command: no timeout on the socket.
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
        """Of jobs that nobody waits for: they are done when no other is to be."""

    def enqueue(self, name: str, job_id: str, *args: Any, idle: bool = False) -> bool:
        """Have the function of this name in `workers.jobs` called with these JSON-ready arguments. Returns whether
        a job was added: one that waits or runs under this id already is not doubled, one that is over may be again.
        """
        for _ in range(2):
            try:
                (self.idle if idle else self.queue).enqueue_call(
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
        """Have the house bots of a match asked on, as it stood at this version."""
        self.enqueue("play_house", f"house-{match}-{version}", match)

    def wake_round(self, ladder: str, number: int, epoch: int) -> None:
        """See `league.rounds.Wake`. The epoch is in the id, so that the job of a worker that died, which RQ takes
        to be running for a while yet, is in nobody's way."""
        self.enqueue("play_round", f"round-{ladder}-{number}-{epoch}", ladder, number)

    def start_due(self, ladder: str, due: int) -> None:
        """See `league.rounds.StartDue`."""
        self.enqueue("start_round", f"due-{ladder}-{due}", ladder, due)

    def wake_ratings(self, preset: str) -> None:
        """See `league.rating_book.Wake`. The id lasts five seconds, after which the job of a worker that died is in
        nobody's way."""
        self.enqueue("rate", f"rate-{preset_id(preset)}-{time.time() // 5:.0f}", preset)

    def before_start(self, ladder: str) -> int | None:
        """See `league.rounds.wakes.Places`."""
        return self._before(f"due-{ladder}-")

    def before_round(self, ladder: str, number: int) -> int | None:
        """See `league.rounds.wakes.Places`."""
        return self._before(f"round-{ladder}-{number}-")

    def wake_luck(self, ladder: str) -> None:
        """See `league.adjusting.Wake`. The id lasts half a second, as the job does."""
        self.enqueue("adjust", f"luck-{ladder}-{2 * time.time():.0f}", ladder, idle=True)

    def length(self) -> int:
        """How many jobs wait."""
        return int(self.queue.count)

    def oldest_ms(self) -> dict[str, int]:
        """By queue, for how many ms the job at its head has waited; 0 for an empty queue."""
        return {queue.name: self._waited_ms(queue) for queue in (self.queue, self.idle)}

    def close(self) -> None:
        """Close the connections."""
        self.connection.close()

    def _waited_ms(self, queue: Queue) -> int:
        head = self.connection.lindex(queue.key, 0)
        since = head and self.connection.hget(Job.key_for(head.decode()), "enqueued_at")
        if not since:
            return 0  # it was taken meanwhile
        return max(0, round((datetime.now(UTC) - utcparse(since.decode())).total_seconds() * 1000))

    def _before(self, job_id: str) -> int | None:
        """How many jobs come before the first whose id begins so, among the first `LOOKED_THROUGH`."""
        waiting = self.connection.lrange(self.queue.key, 0, LOOKED_THROUGH - 1)
        wanted = job_id.encode()
        return next((place for place, each in enumerate(waiting) if each.startswith(wanted)), None)

    def _forget_if_over(self, job_id: str) -> bool:
        try:
            job = Job.fetch(job_id, connection=self.connection, serializer=JSONSerializer)
            if job.get_status() not in _OVER:
                return False
            job.delete()
        except (NoSuchJobError, InvalidJobOperation):
            pass  # it ended before it was fetched, or between that and the look at its status
        return True


class OldestJobs:
    """How long the oldest jobs have waited, as of the last look at the queues and the time since."""

    def __init__(
        self, oldest_ms: Callable[[], Mapping[str, int]], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._oldest_ms, self._monotonic = oldest_ms, monotonic
        self._seen: Mapping[str, int] = {}
        self._seen_at = monotonic()

    def look(self) -> None:
        """Ask the queues. While Redis is away the last answer stands."""
        try:
            self._seen = self._oldest_ms()
        except RedisError as error:
            log.debug("the queues could not be asked: %s", error)
            return
        self._seen_at = self._monotonic()

    def waits(self) -> dict[str, int]:
        """By queue, for how many ms its oldest job has waited by now; asks nobody."""
        since = round((self._monotonic() - self._seen_at) * 1000)
        return {queue: ms + since if ms else 0 for queue, ms in self._seen.items()}
