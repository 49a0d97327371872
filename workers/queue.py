"""The job queue: RQ with its JSON serializer (never pickle), on a connection of its own.

RQ's keys do not share a slot, so a Redis Cluster needs a separate plain Redis for the queue. That Redis may lose all
its data at any time: the clock enqueues each job again, from the outboxes, leases and due instants of the other one.

RQ is imported with the first job. It is large, and most processes of the API enqueue few jobs.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from redis.exceptions import RedisError

from league.container.options import WaitingMatches
from records.ratings.model import preset_id
from redisio.address import client_for
from workers.turns import HouseTurn, HouseTurns

if TYPE_CHECKING:
    from rq import Queue
    from rq.job import Job

JOB_TIMEOUT_S: Final = 60
"""A job needs a second or two; one that takes a minute hangs."""
LONG_TIMEOUT_S: Final = 600
"""The same for a job that waits for the object store, which may be slow, or fits the ratings of hundreds of bots."""
ARCHIVING_S: Final = 50
"""How long a chain of archive jobs may be silent before the clock, which looks every minute, begins another one."""
FAILURE_TTL_S: Final = 300
MOST_HELPERS: Final = 64
"""How many helpers are asked for at once."""
ENQUEUE_TIMEOUT_S: Final = 1.0
"""How long a process that only enqueues waits for the queue."""
AWAY_S: Final = 5.0
"""How long the queue counts as away after a failure. The deadline loop must not wait for it again and again."""
START_AGAIN_S: Final = 15
"""After how long the start of a round that is still due is enqueued again, though a worker seems to have it."""
NAME: Final = "kozyr"
"""The name of the queue with the urgent jobs."""
_QUEUES: Final = "rq:queue:"
_JOBS: Final = "rq:job:"
"""What RQ's keys of queues and jobs begin with."""
_OVER: Final = frozenset({"finished", "failed", "canceled", "stopped"})
"""RQ's states of jobs that will not run again."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class QueueAway(Exception):
    """The queue can't be reached. What the job was to do remains due."""


class JobQueue:
    """A queue of jobs with unique ids. Safe to share between greenlets and threads."""

    def __init__(
        self,
        url: str,
        name: str = NAME,
        *,
        timeout: float | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`timeout` limits each command, in seconds. A worker has none, since it waits for its next job with a blocking
        command."""
        self.connection: Any = client_for(url, timeout=timeout, connect_timeout=timeout or 5.0)
        self._monotonic, self._now = monotonic, now
        self._away_until = -AWAY_S
        self._archiving = f"{name}:archiving"
        self.turns = HouseTurns(self.connection, name)
        self._name = name

    @cached_property
    def queue(self) -> Queue:
        """Urgent jobs."""
        return self._queue(self._name)

    @cached_property
    def idle(self) -> Queue:
        """Jobs that are not urgent. They run when the other queues are empty, and as every `IDLE_EVERY`-th job of a
        worker (`workers.run`)."""
        return self._queue(f"{self._name}-idle")

    @cached_property
    def house(self) -> Queue:
        """Turns of house bots. Every `HOUSE_EVERY`-th job of a worker comes from here first (`workers.run`)."""
        return self._queue(f"{self._name}-house")

    @cached_property
    def helping(self) -> Queue:
        """Jobs for workers that have nothing else to do."""
        return self._queue(f"{self._name}-helping")

    def enqueue(
        self, name: str, job_id: str, *args: Any, queue: Queue | None = None, timeout: int = JOB_TIMEOUT_S
    ) -> bool:
        """Enqueue a call of the function with this name in `workers.jobs` with JSON-ready arguments, by default in the
        urgent queue. Return whether a job was added: not if a job with this id waits or runs. A finished job may be
        enqueued again. `timeout` is in seconds. Raise `QueueAway`."""
        return self._reached(lambda: self._enqueue(name, job_id, args, queue=queue, timeout=timeout))

    def _queue(self, name: str) -> Queue:
        from rq import Queue
        from rq.serializers import JSONSerializer

        return Queue(
            name, connection=self.connection, serializer=JSONSerializer, default_timeout=JOB_TIMEOUT_S
        )

    def _reached(self, call: Callable[[], T]) -> T:
        """Return the result of a call, or raise `QueueAway`: at once if the queue was away a moment ago."""
        if self._monotonic() < self._away_until:
            raise QueueAway("the job queue was away a moment ago")
        try:
            return call()
        except RedisError as error:
            self._away_until = self._monotonic() + AWAY_S
            log.warning("the job queue is away: %s; its jobs will be enqueued later", error)
            raise QueueAway("the job queue is away") from error

    def _asked(self, call: Callable[[], T], otherwise: T) -> T:
        """Return the result of a call, or this value while the queue is away."""
        try:
            return self._reached(call)
        except QueueAway:
            return otherwise

    def _later(self, name: str, job_id: str, *args: Any, queue: Queue | None = None) -> None:
        """Enqueue a job that the clock enqueues again while there is work for it. Nothing is raised if the queue is
        away."""
        with suppress(QueueAway):
            self.enqueue(name, job_id, *args, queue=queue)

    def _enqueue(
        self, name: str, job_id: str, args: tuple[Any, ...], *, queue: Queue | None, timeout: int
    ) -> bool:
        from rq.exceptions import DuplicateJobError

        for _ in range(2):
            try:
                (queue or self.queue).enqueue_call(
                    f"workers.jobs.{name}",
                    args=args,
                    job_id=job_id,
                    unique=True,
                    timeout=timeout,
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

    def play_house(self, turn: HouseTurn, version: int) -> None:
        """Let a match wait for a turn of its house bots at this version, and enqueue a job that plays the next turn,
        which may be another match's. No job is added if one for this match waits: in a long queue the deadline of the
        house bots (`RefereeTimings.house_ms`) would add one after another. If a worker dies, the deadline leads to
        another turn."""
        job_id = f"house-{turn.match}"
        with suppress(QueueAway):
            self._reached(lambda: self.turns.add(turn))
            if self.enqueue("play_house", job_id, turn.match, queue=self.house):
                return
            place = self._reached(lambda: self.connection.lpos(self.house.key, job_id))
            if place is None:  # the job runs, or is lost
                self.enqueue("play_house", f"{job_id}-{version}", turn.match, queue=self.house)

    def waiting_matches(self, owner: str) -> int:
        """Return how many matches that this owner requested wait for house bots; 0 while the queue is away."""
        return self._asked(lambda: self.turns.waiting(owner), 0)

    def waiting_by_owner(self) -> Sequence[WaitingMatches]:
        """Return for each owner how many matches wait for house bots; nothing while the queue is away."""
        return self._asked(self.turns.by_owner, [])

    def turns_ahead(self, match: str) -> int | None:
        """Return how many turns of house bots precede that of a match; `None` if it waits for none, or while the queue
        is away."""
        return self._asked(lambda: self.turns.ahead(match), None)

    def wake_round(self, ladder: str, number: int, epoch: int) -> None:
        """Enqueue work on a round. The id contains the epoch, so the job of a dead worker, which RQ considers running
        for a while, does not block it."""
        self._later("play_round", f"round-{ladder}-{number}-{epoch}", ladder, number)

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        """Enqueue help with a round (`league.rounds.context.RoundJobs`)."""
        with suppress(QueueAway):
            if self._reached(lambda: self.helping.count) == 0:
                for _ in range(min(helpers, MOST_HELPERS)):
                    self.keep_helping(ladder, number)

    def keep_helping(self, ladder: str, number: int) -> None:
        """Enqueue one more job that helps with a round."""
        job_id = f"help-{ladder}-{number}-{secrets.token_hex(8)}"
        self._later("help_round", job_id, ladder, number, queue=self.helping)

    def workers(self) -> int:
        """Return how many workers RQ knows, at least 1: it takes minutes to forget a killed one, and it knows none
        after its Redis was emptied or while it is away."""
        from rq import Worker

        return max(1, self._asked(lambda: Worker.count(queue=self.queue), 1))

    def start_due(self, ladder: str, due: int) -> None:
        """Enqueue the start of a due round. The id changes every `START_AGAIN_S`, so the job of a dead worker does not
        block it for longer."""
        self._later("start_round", f"due-{ladder}-{due}-{self._now() // START_AGAIN_S:.0f}", ladder, due)

    def wake_ratings(self, preset: str) -> None:
        """Enqueue ratings of a preset (`league.ratings.book.Wake`). The id changes every five seconds, so the job of
        a dead worker does not block it for longer."""
        job_id = f"rate-{preset_id(preset)}-{self._now() // 5:.0f}"
        with suppress(QueueAway):
            self.enqueue("rate", job_id, preset, timeout=LONG_TIMEOUT_S)

    def wake_review(self, review: str, jobs: int) -> None:
        """Enqueue work on a review (`league.reviews.service.Wake`). The id changes with each job of the review and
        every minute, so the job of a dead worker does not block it for longer."""
        job_id = f"review-{review}-{jobs}-{self._now() // 60:.0f}"
        self._later("review", job_id, review, queue=self.idle)

    def wake_hint(self, match: str, turn: int) -> None:
        """Enqueue the computation of a hint (`league.hints.Wake`)."""
        self._later("hint", f"hint-{match}-{turn}", match, turn, queue=self.idle)

    def wake_study(self, match: str, deal: int, move: int, line: Sequence[str], owner: str) -> None:
        """Enqueue the solution of a position (`league.reviews.studies`), which is requested again if it is lost."""
        job_id = f"study-{secrets.token_hex(8)}"
        self._later("study", job_id, match, deal, move, list(line), owner, queue=self.idle)

    def wake_regret(self) -> None:
        """Enqueue the solution of endings. The id changes every two seconds, the duration of the job."""
        self._later("regret", f"regret-{self._now() // 2:.0f}", queue=self.idle)

    def wake_archive(self) -> None:
        """Enqueue the move of old matches to the archive: the first job of a chain, unless one is under way."""
        with suppress(QueueAway):
            is_first = self._reached(lambda: self.connection.set(self._archiving, 1, nx=True, ex=ARCHIVING_S))
            # A clock that has jumped back leaves a key that lasts too long.
            if is_first or self._reached(lambda: self.connection.ttl(self._archiving)) > ARCHIVING_S:
                self.keep_archiving()

    def keep_archiving(self) -> None:
        """Enqueue the next job of a chain that moves old matches to the archive.

        It is urgent: where rounds follow one another without end, Redis fills if the archive does not keep up. If its
        worker dies, the clock starts another chain after `ARCHIVING_S`. Two chains do no harm; one of them soon ends.
        """
        with suppress(QueueAway):
            self._reached(lambda: self.connection.set(self._archiving, 1, ex=ARCHIVING_S))
            self.enqueue("archive", f"archive-{secrets.token_hex(8)}", timeout=LONG_TIMEOUT_S)

    def wake_dump(self) -> None:
        """Enqueue the writing of dumps: the first job of a chain, which ends with this minute."""
        self.keep_dumping(int(self._now() // 60), 0)

    def keep_dumping(self, minute: int, number: int) -> None:
        """Enqueue job `number` of the chain of a minute, unless the minute is over: then the clock starts another
        chain. So about one job at a time writes dumps."""
        if int(self._now() // 60) == minute:
            self._later("dump", f"dump-{minute}-{number}", minute, number, queue=self.idle)

    def wake_webhooks(self) -> None:
        """Enqueue the delivery of messages of webhooks. The id changes every two seconds, the duration of the job."""
        self._later("deliver", f"webhooks-{self._now() // 2:.0f}", queue=self.idle)

    def oldest_ms(self) -> dict[str, int]:
        """Return by queue for how many ms its first job has waited; 0 for an empty queue. Reads RQ's keys without
        RQ."""
        names = (self._name, f"{self._name}-house", f"{self._name}-idle")
        return {name: self._waited_ms(name) for name in names}

    def close(self) -> None:
        """Close the connections."""
        self.connection.close()

    def _waited_ms(self, name: str) -> int:
        first = self.connection.lindex(f"{_QUEUES}{name}", 0)
        since = first and self.connection.hget(f"{_JOBS}{first.decode()}", "enqueued_at")
        if not since:
            return 0  # a worker took it meanwhile
        return max(
            0, round((datetime.now(UTC) - datetime.fromisoformat(since.decode())).total_seconds() * 1000)
        )

    def _forget_if_over(self, job_id: str) -> bool:
        from rq.exceptions import InvalidJobOperation, NoSuchJobError
        from rq.job import Job
        from rq.serializers import JSONSerializer

        try:
            job = Job.fetch(job_id, connection=self.connection, serializer=JSONSerializer)
            if job.get_status() not in _OVER and not self._is_abandoned(job):
                return False
            job.delete()
        except (NoSuchJobError, InvalidJobOperation):
            pass  # it ended before the fetch, or before its status was read
        return True

    def _is_abandoned(self, job: Job) -> bool:
        """Return whether the worker of a job was interrupted so long ago that the job would have timed out. RQ needs
        ten minutes to notice, and meanwhile no job with the same id could run."""
        since = job.started_at or job.enqueued_at
        # A time that is far ahead was noted before the clock was set back.
        if since is None or abs(self._now() - since.timestamp()) < (job.timeout or JOB_TIMEOUT_S):
            return False
        if job.started_at is not None:
            return True
        # A job that waits is in the list of its queue; one that a worker took and did not start is not.
        return self.connection.lpos(f"{_QUEUES}{job.origin}", job.id) is None


class OldestJobs:
    """How long the oldest jobs had waited at the last look at the queues."""

    def __init__(self, oldest_ms: Callable[[], Mapping[str, int]]) -> None:
        self._oldest_ms = oldest_ms
        self.waits: Mapping[str, int] = {}
        """In ms, by queue."""

    def look(self) -> None:
        """Read the queues. While Redis is away, the last reading stands."""
        try:
            self.waits = self._oldest_ms()
        except RedisError as error:
            log.debug("can't read the queues: %s", error)
