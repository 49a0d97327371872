"""Memory of an API worker and of Redis, by the number of waiting polls, running matches and finished matches.

The finished matches are those of rounds that grow, so their table also shows how long a round of each size takes.
"""

from __future__ import annotations

import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.support.load import Load
from bench.support.measure import resident
from bench.support.rounds import played_ladder
from bench.support.service import MEASURED
from bench.support.tables import CONNECTIONS, BenchTables
from bench.support.waiters import WAITING, many_bots, waiting_polls
from tests.support.live import LiveService

POLLS: Final = (0, 1000, 2000, 4000, 8000)
RUNNING: Final = (0, 1000, 2000, 4000, 8000)
PER_BOT: Final = 250
"""Running matches of one bot, of at most 256."""
GROUPS: Final = (10, 50, 250, 1000)
"""Duplicate groups of a round, of two matches each. A round has at most 1000."""
SECONDS: Final = 3.0
_MIB: Final = 2**20


def lines() -> list[str]:
    """Return the lines of the tables."""
    measured = (_polls, _running, _finished)
    found = [["", *_measured(each)] for each in measured]
    return [line for table in found for line in table][1:]


def _measured(measure: Callable[[LiveService], list[str]]) -> list[str]:
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), settings={**MEASURED, **WAITING}) as service,
    ):
        return measure(service)


def _polls(service: LiveService) -> list[str]:
    table = ["| waiting polls | API worker, MiB | Redis, MiB |", "| --- | --- | --- |"]
    tables, tokens = BenchTables(service), many_bots(service, "waiter", POLLS[-1])
    sockets: list[socket.socket] = []
    for polls in POLLS:
        sockets += waiting_polls(service, tables, tokens[len(sockets) : polls])
        table.append(f"| {polls:,} | {_worker_mib(service):.0f} | {_redis_bytes(service) / _MIB:.1f} |")
    for sock in sockets:
        sock.close()
    return table


def _running(service: LiveService) -> list[str]:
    table = ["| running matches | API worker, MiB | Redis, MiB |", "| --- | --- | --- |"]
    tables, running = BenchTables(service), 0
    for wanted in RUNNING:
        while running < wanted:
            token, _ = tables.against_random(f"running-{running}", PER_BOT)
            tables.turns(token, 5)
            running += PER_BOT
        table.append(f"| {wanted:,} | {_worker_mib(service):.0f} | {_redis_bytes(service) / _MIB:.1f} |")
    load = Load(service.url, [tables.single(seed) for seed in range(CONNECTIONS)])
    before = _redis_bytes(service)
    load.run(SECONDS)
    load.close()
    grown = (_redis_bytes(service) - before) / load.answered
    return [*table, "", f"While a match runs, each move with its reply adds {grown:.0f} bytes to Redis."]


def _finished(service: LiveService) -> list[str]:
    table = [
        "| matches of the round | its seconds | matches/s | matches so far | Redis, MiB | worker, MiB |",
        "| --- |" + " --- |" * 5,
    ]
    finished = 0
    with service.http() as client:
        for groups in GROUPS:
            began = time.perf_counter()
            played_ladder(client, groups, owner=f"rounds-{groups}")
            seconds = time.perf_counter() - began
            finished += 2 * groups
            table.append(
                f"| {2 * groups:,} | {seconds:.1f} | {2 * groups / seconds:,.0f} | {finished:,} "
                f"| {_redis_bytes(service) / _MIB:.1f} | {resident(service.pid('worker')) / _MIB:.0f} |"
            )
    return table


def _worker_mib(service: LiveService) -> float:
    (worker,) = service.api_workers()
    return resident(worker) / _MIB


def _redis_bytes(service: LiveService) -> int:
    with service.redis() as redis:
        return int(redis.info("memory")["used_memory"])
