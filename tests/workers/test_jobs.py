"""Jobs on a real RQ queue."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from rq import Callback, Queue
from rq.job import Job, JobStatus
from rq.serializers import DefaultSerializer, JSONSerializer, PickleSerializer

from league.ladders.model import RoundState
from league.notifications.model import EventType
from league.notifications.service import OF_ONE
from league.ratings.book import RatingBook
from league.ratings.redis import RedisRatingStore
from league.rounds import LEASE_MS, Rounds
from redisio.connection import Redis
from referee.object_store import ArchiveAway
from tests.referee.world import at_once
from tests.support.league import LeagueWorld
from tests.support.played import played, take
from workers import context, jobs, webhooks
from workers.context import WorkerServices
from workers.queue import AWAY_S, JOB_TIMEOUT_S, JobQueue, QueueAway
from workers.run import IDLE_EVERY, make_worker
from workers.turns import HouseTurn


@pytest.fixture
def queue(redis_url: str, redis: Redis) -> Iterator[JobQueue]:
    with contextlib.closing(JobQueue(redis_url, "test")) as queue:
        yield queue


@pytest.fixture
def services(league: LeagueWorld, queue: JobQueue) -> WorkerServices:
    rounds = Rounds(league.ladders, league.referee, league.groups, queue)
    league.rounds = rounds
    league.ratings = RatingBook(RedisRatingStore(league.redis))
    return WorkerServices(league, queue)


def work(services: WorkerServices) -> None:
    """Run all queued jobs."""
    make_worker(services).work(burst=True, with_scheduler=False, logging_level="WARNING")


def test_a_due_round_becomes_a_job_that_plays_it(league: LeagueWorld, services: WorkerServices) -> None:
    ladder = league.ladder("a1", "a2", "a3", repeats=2, cron="* * * * *", state="running")
    league.clock.ms = league.ladders.next_rounds(ladder.id, 1)[0]
    loop = league.loop()
    loop.tick()
    loop.tick()
    assert services.queue.queue.count == 1
    work(services)
    done = league.ladders.round(ladder.id, 1)
    assert (done.state, done.played, done.due) == (RoundState.DONE, 6, league.clock.ms)
    assert league.ladders.rounds(ladder.id)[1] is None
    assert sum(standing.line.matches for standing in league.ladders.standings(ladder.id)) == 12


def test_a_job_waits_once_and_may_be_enqueued_again_when_finished(services: WorkerServices) -> None:
    queue = services.queue
    assert queue.enqueue("play_house", "one", "00x") is True
    assert queue.enqueue("play_house", "one", "00x") is False
    assert queue.queue.count == 1
    work(services)
    assert queue.enqueue("play_house", "one", "00x") is True
    work(services)


def test_a_match_has_one_waiting_job_for_its_house_bots_however_long_it_waits(queue: JobQueue) -> None:
    for version in range(1, 4):
        queue.play_house(HouseTurn("m1"), version)
    queue.play_house(HouseTurn("m2"), 1)
    assert queue.house.count == 2
    queue.connection.lpop(queue.house.key)  # a worker takes the job of m1, and may die
    queue.play_house(HouseTurn("m1"), 4)
    assert queue.house.count == 2


def test_a_failed_job_may_be_enqueued_again(services: WorkerServices) -> None:
    queue = services.queue
    assert queue.enqueue("no_such_job", "one") is True
    work(services)
    job = queue.queue.fetch_job("one")
    assert job is not None
    assert job.get_status() is JobStatus.FAILED
    assert queue.enqueue("no_such_job", "one") is True
    work(services)


@pytest.mark.parametrize("started", [True, False])
def test_a_job_whose_worker_was_interrupted_blocks_its_id_only_until_it_would_time_out(
    redis_url: str, redis: Redis, *, started: bool
) -> None:
    """The worker lost Redis after it took the job, or after it started it."""
    now = time.time()
    queue = JobQueue(redis_url, "test", now=lambda: now)
    assert queue.enqueue("play_house", "one", "00x") is True
    queue.connection.lpop(queue.queue.key)
    job = queue.queue.fetch_job("one")
    assert job is not None
    if started:
        with queue.connection.pipeline() as pipeline:
            job.prepare_for_execution("a worker", pipeline=pipeline)
            pipeline.execute()
    now += JOB_TIMEOUT_S - 1
    assert queue.enqueue("play_house", "one", "00x") is False
    now += 2
    assert queue.enqueue("play_house", "one", "00x") is True
    assert queue.queue.count == 1
    now += 10 * JOB_TIMEOUT_S
    assert queue.enqueue("play_house", "one", "00x") is False, "it waits for a worker"


def test_concurrent_callers_enqueue_one_job(services: WorkerServices) -> None:
    added = at_once(*[lambda: services.queue.enqueue("play_house", "same", "00x")] * 6)
    assert (sorted(added), services.queue.queue.count) == ([False] * 5 + [True], 1)


def test_the_job_of_a_dead_worker_blocks_no_other(league: LeagueWorld, services: WorkerServices) -> None:
    ladder = league.ladder("a1", "a2", repeats=3)
    number = services.league.rounds.start(ladder.id).number
    # A worker took the job and the lease, and died: RQ considers the job running.
    job = services.queue.queue.fetch_job(f"round-{ladder.id}-{number}-0")
    assert job is not None
    job.set_status(JobStatus.STARTED)
    services.queue.queue.remove(job.id)
    assert league.ladders.store.take_lease(ladder.id, number, "dead", LEASE_MS).held
    work(services)
    assert league.ladders.round(ladder.id, number).over == 0
    league.clock.ms += LEASE_MS
    services.league.rounds.tick()
    work(services)
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE


def test_a_job_rates_waiting_groups(services: WorkerServices) -> None:
    ratings = services.league.ratings
    for number in range(70):
        take(ratings, [played(["a/x", "b/y"], [0, -1], ident=f"m{number}", ended=number)])
    services.queue.wake_ratings("durak/2")
    services.queue.wake_ratings("durak/2")
    work(services)
    assert ratings.tick() == []
    assert ratings.ratings("durak/2", ["a-x"])["a-x"].groups == 70


# Jobs of other origin in the queue


@pytest.mark.parametrize("serializer", [DefaultSerializer, PickleSerializer])
def test_a_pickled_job_is_refused_and_not_executed(
    queue: JobQueue, services: WorkerServices, tmp_path: Path, serializer: Any
) -> None:
    """The job is not even unpickled, which could run arbitrary code."""
    made = tmp_path / "made"
    theirs = Queue("test", connection=queue.connection, serializer=serializer)
    theirs.enqueue_call("os.mkdir", args=(str(made),), job_id="theirs")
    theirs.enqueue_call("workers.jobs.play_house", args=(Unpickled(made),), job_id="other")
    queue.play_house(HouseTurn("17nothing"), 1)
    work(services)
    assert not made.exists()
    assert queue.queue.count == 0, "the jobs behind it run"


class Unpickled:
    """Creates a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


@pytest.mark.parametrize(
    "what",
    [
        {"func": "os.mkdir"},
        {"func": "workers.jobs.time.sleep"},
        {"func": "workers.jobs.log"},
        {"func": "workers.jobs.getattr"},
        {"func": "workers.jobs.play_round", "on_failure": Callback("os.mkdir")},
    ],
    ids=lambda what: what["func"] + ("+callback" if len(what) > 1 else ""),
)
def test_a_job_can_call_only_functions_of_workers_jobs(
    queue: JobQueue, services: WorkerServices, tmp_path: Path, what: dict[str, Any]
) -> None:
    made = tmp_path / "made"
    theirs = Queue("test", connection=queue.connection, serializer=JSONSerializer)
    theirs.enqueue_call(args=(str(made),), job_id="theirs", failure_ttl=60, **what)
    work(services)
    assert not made.exists()
    job = theirs.fetch_job("theirs")
    assert job is not None
    assert job.get_status() is JobStatus.FAILED


def test_a_job_sends_messages_and_goes_on_while_more_are_due(
    services: WorkerServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []

    def send(requests: Sequence[webhooks.Request]) -> Sequence[webhooks.Outcome]:
        sent.extend(headers["webhook-id"] for _, headers, _ in requests)
        return [(204, "", 1) for _ in requests]

    monkeypatch.setattr(webhooks, "send", send)
    webhook = services.league.webhooks.create("alpha", "https://hooks.example.com/", [EventType.MATCH])
    expected = {services.league.webhooks.test("alpha", webhook.id) for _ in range(OF_ONE)}
    services.queue.wake_webhooks()
    work(services)
    assert set(sent) == expected
    assert not services.league.webhooks.store.has_due()


def test_the_archive_job_moves_segments_until_none_is_left(
    services: WorkerServices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    left = [2, 1]

    def moved() -> int:
        if not left:
            return 0
        return left.pop()

    services.queue.wake_archive()
    services.queue.wake_archive()
    assert services.queue.queue.count == 1
    monkeypatch.setattr(services.league, "archive_old", moved)
    work(services)
    assert left == []

    def away() -> int:
        raise ArchiveAway("the archive is away")

    monkeypatch.setattr(services.league, "archive_old", away)
    context.use(services)
    jobs.archive()
    assert "the archive is away" in caplog.text
    assert services.queue.queue.count == 0


class EndlessRounds:
    """Rounds of a ladder that always has more to do, and has helpers."""

    def __init__(self, done: list[str], jobs: int) -> None:
        self._done, self._jobs = done, jobs

    def work(self, ladder: str, number: int, budget_s: float) -> bool:
        self._done.append("round")
        return len(self._done) < self._jobs

    def help(self, ladder: str, number: int, budget_s: float) -> bool:
        self._done.append("help")
        return len(self._done) < self._jobs

    def epoch(self, ladder: str, number: int) -> int:
        return len(self._done)


def test_neither_the_archive_nor_idle_jobs_starve_behind_a_continuous_ladder(
    services: WorkerServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    queue = services.queue

    def moved() -> int:
        done.append("archive")
        return int(done.count("archive") < 20)

    monkeypatch.setattr(services.league.webhooks, "deliver", lambda send: done.append("webhooks"))
    queue.wake_round("l1", 1, 0)
    queue.keep_helping("l1", 1)
    queue.wake_archive()
    queue.wake_webhooks()
    rounds: Any = EndlessRounds(done, 100)
    monkeypatch.setattr(services.league, "archive_old", moved)
    services.league.rounds = rounds
    work(services)
    assert done[:40].count("archive") >= 15
    assert "webhooks" in done[: 2 * IDLE_EVERY]


def test_the_jobs_that_write_a_dump_follow_one_another_for_a_minute(
    services: WorkerServices,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(jobs, "IDLE_BUDGET_S", 0.0)
    now, steps = 120.0, 0

    def step() -> bool:
        nonlocal now, steps
        steps += 1
        now += 1.0
        return steps < 100

    with contextlib.closing(JobQueue(redis_url, "test", now=lambda: now)) as queue:
        queue.wake_dump()
        queue.wake_dump()
        monkeypatch.setattr(services.league, "write_dump", step)
        work(services._replace(queue=queue))
        assert steps == 60, "the clock's next minute begins another chain"
        queue.wake_dump()
        work(services._replace(queue=queue))
        assert steps == 100
        assert queue.idle.count == 0

    def away() -> bool:
        raise ArchiveAway("the archive is away")

    monkeypatch.setattr(services.league, "write_dump", away)
    context.use(services)
    jobs.dump(0, 0)
    assert "no dump was written: the archive is away" in caplog.text


def test_a_chain_of_archive_jobs_begins_although_a_clock_that_jumped_back_says_that_one_runs(
    queue: JobQueue, redis: Redis
) -> None:
    redis.one("SET", "test:archiving", 1, "EX", 3 * 3600)
    queue.wake_archive()
    queue.wake_archive()
    assert queue.queue.count == 1


def test_a_queue_that_is_away_is_not_asked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    queue = JobQueue(f"unix://{tmp_path}/none.sock", "test", timeout=1.0, monotonic=lambda: now)
    tried: list[str] = []
    original = queue.queue.enqueue_call

    def enqueue_call(*args: Any, **more: Any) -> Any:
        tried.append(more["job_id"])
        return original(*args, **more)

    monkeypatch.setattr(queue.queue, "enqueue_call", enqueue_call)
    queue.wake_round("l1", 1, 0)
    queue.play_house(HouseTurn("m1"), 1)
    assert (queue.turns_ahead("m1"), queue.waiting_matches("anna")) == (None, 0)
    with pytest.raises(QueueAway):
        queue.enqueue("play_house", "house-m1-1", "m1")
    assert tried == ["round-l1-1-0"]
    now = AWAY_S
    queue.wake_round("l2", 1, 0)
    assert tried == ["round-l1-1-0", "round-l2-1-0"]


def test_the_oldest_job_of_a_queue_is_its_first(redis_url: str, redis: Redis) -> None:
    jobs = JobQueue(redis_url)
    assert jobs.oldest_ms() == {"kozyr": 0, "kozyr-house": 0, "kozyr-idle": 0}
    for job in ("first", "second"):
        jobs.enqueue("rate", job, "no such preset")
    redis.one("HSET", "rq:job:first", "enqueued_at", "2026-01-01T00:00:00.000000Z")
    oldest = jobs.oldest_ms()
    assert oldest["kozyr"] > 1_000_000
    assert oldest["kozyr-idle"] == 0
    jobs.queue.remove("first")
    assert jobs.oldest_ms()["kozyr"] < 1_000_000


def test_a_job_that_disappears_during_the_look_up_is_added_again(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert queue.enqueue("play_house", "house-m-1", "m")
    fetch = Job.fetch

    def fetched_and_gone(*args: Any, **more: Any) -> Job:
        job = fetch(*args, **more)
        queue.queue.empty()
        return job

    monkeypatch.setattr(Job, "fetch", fetched_and_gone)
    assert queue.enqueue("play_house", "house-m-1", "m")
    assert queue.queue.count == 1
