"""The worker as a process: how it ends, and what it does when Redis fails."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from league.ladders.model import RoundState
from league.rounds import Rounds
from redisio.connection import Redis
from server.embedded import EmbeddedRedis
from tests.support.league import LeagueWorld
from tests.support.waiting import eventually
from workers.queue import JobQueue
from workers.turns import HouseTurn

pytestmark = pytest.mark.live

MANY = 600


@contextlib.contextmanager
def worker(url: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.workers.worker_process", url]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class OwnRedisLeague:
    """A Redis server with the services that use it."""

    def __init__(self, folder: Path) -> None:
        self.server = EmbeddedRedis(folder / "redis", appendfsync="always").start()
        self.connect()

    def connect(self) -> None:
        self.league = LeagueWorld(Redis(self.server.url), None)
        self.queue = JobQueue(self.server.url, "test")
        self.league.rounds = Rounds(self.league.ladders, self.league.referee, self.league.groups, self.queue)

    def over(self, ladder: str) -> int:
        return self.league.ladders.round(ladder, 1).over

    def done(self, ladder: str) -> bool:
        """Run a pass of the clock's work. Return whether the round has ended."""
        self.league.loop().tick()
        for match, version in self.league.house_jobs:
            self.queue.play_house(HouseTurn(match), version)
        self.league.house_jobs.clear()
        return self.league.ladders.round(ladder, 1).state is RoundState.DONE


@pytest.fixture
def service() -> Iterator[OwnRedisLeague]:
    with tempfile.TemporaryDirectory(prefix="kozyr-test-") as folder:
        service = OwnRedisLeague(Path(folder))
        yield service
        service.server.stop()


@pytest.mark.ci
def test_a_worker_ends_after_its_current_job_and_loses_none(service: OwnRedisLeague) -> None:
    # Several times what a fast machine plays in one job.
    ladder = service.league.ladder("a1", "a2", "a3", repeats=MANY, deals=3)
    with worker(service.server.url) as process:
        service.league.rounds.start(ladder.id)
        eventually(lambda: service.over(ladder.id) > 0, "the round is being played")
        process.terminate()
        assert process.wait(60) == 0
    before = service.over(ladder.id)
    assert before < 3 * MANY
    with worker(service.server.url) as process:
        eventually(lambda: service.done(ladder.id), "the next worker plays the rest")
        assert service.over(ladder.id) == 3 * MANY
        process.terminate()
        assert process.wait(60) == 0


def test_a_worker_continues_when_redis_is_back(service: OwnRedisLeague) -> None:
    ladder = service.league.ladder("a1", "a2", "a3", repeats=40, deals=3)
    with worker(service.server.url) as process:
        service.league.rounds.start(ladder.id)
        eventually(lambda: service.over(ladder.id) > 0, "the round is being played")
        service.server.stop()
        service.server.start()
        service.connect()
        assert process.poll() is None
        # The lease of the interrupted job expires, here at once.
        round_key = f"kozyr:{{ladder:{ladder.id}}}:round:1"
        if service.league.redis.one("HEXISTS", round_key, "until"):
            service.league.redis.one("HSET", round_key, "until", 0)
        service.league.ladders.store.set_due("rounds", ladder.id, 0)
        eventually(lambda: service.done(ladder.id), "the round is finished")
        assert service.over(ladder.id) == 120
        process.terminate()
        assert process.wait(60) == 0
