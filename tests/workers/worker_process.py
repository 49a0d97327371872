"""A worker in a process of its own: `python -m tests.workers.worker_process REDIS_URL`."""

from __future__ import annotations

import sys

from league.rounds import Rounds
from redisio.connection import Redis
from tests.support.league import LeagueWorld
from workers.context import WorkerServices
from workers.queue import JobQueue
from workers.run import run_worker


def main(url: str) -> None:
    league, queue = LeagueWorld(Redis(url), None), JobQueue(url, "test")
    league.rounds = Rounds(league.ladders, league.referee, league.groups, queue)
    print("ready", flush=True)
    run_worker(WorkerServices(league, queue))


if __name__ == "__main__":
    main(sys.argv[1])
