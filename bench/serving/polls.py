"""Waiting polls on one worker: memory per poll, and the time from a commit to the response of the poll.

Five thousand bots without matches wait. Two more bots play a match: one of them polls while the other's move is posted.
A commit is timed by the wake-up message from its script, a response by its first byte.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import orjson
import redis

from bench.support.bench_matches import BenchMatches
from bench.support.load import connect, request
from bench.support.measure import at_most, percentile, resident
from bench.support.service import MEASURED
from bench.support.waiters import WAITING, many_bots, waiting_poll, waiting_polls
from tests.support.live import LiveService
from tests.support.waiting import eventually

POLLS = 5000
MOVES = 300
PATIENCE_S = 1.0


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(
            Path(folder),
            ["redis", "api"],
            settings={**MEASURED, **WAITING},
        ) as service,
    ):
        tables = BenchMatches(service)
        tokens = many_bots(service, "waiter", POLLS)
        (worker,) = service.api_workers()
        before = resident(worker)
        sockets = waiting_polls(service, tables, tokens)
        each = (resident(worker) - before) / POLLS
        delays = _wake_ups(service, tables)
        for sock in sockets:
            sock.close()
    p99 = percentile(delays, 0.99) * 1000
    return [
        f"| {POLLS} waiting polls on one worker | | at most |",
        "| --- | --- | --- |",
        f"| memory of each, KiB | {each / 1024:.1f} | {at_most(each / 1024, 20)} |",
        f"| wake-up, commit to answer, p50 ms | {percentile(delays, 0.5) * 1000:.2f} | |",
        f"| wake-up, commit to answer, p99 ms | {p99:.2f} | {at_most(p99, 3)} |",
    ]


def _wake_ups(service: LiveService, tables: BenchMatches) -> list[float]:
    tokens = [tables.bot("wake-0"), tables.bot("wake-1")]
    channel = redis.Redis.from_url(service.redis_url).pubsub()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
    channel.subscribe("kozyr:wake")
    channel.parse_response()
    match = tables.match(["bench/wake-0", "bench/wake-1"], tokens[0], deals=1000)
    for token in tokens:
        tables.turns(token, 0)
    delays = []
    for _ in range(MOVES):
        (turn,) = [turn for token in tokens for turn in tables.turns(token, 0)]
        poll = waiting_poll(service, tokens[1 - turn["seat"]], PATIENCE_S)
        # Wait until the poll is registered, so that the wake-up is measured and not the race.
        eventually(lambda: tables.metric("kozyr_waiting_polls") > POLLS)
        legal = turn["observation"]["legal_moves"]
        body = orjson.dumps({"turn": turn["turn"], "move": legal[-1]})
        sender = connect(service.port)
        while channel.parse_response(block=False, timeout=0):
            pass
        sender.sendall(request("POST", f"/v1/matches/{match}/moves", tokens[turn["seat"]], body))
        channel.parse_response(timeout=1)
        committed = time.perf_counter()
        poll.recv(1)
        waited = time.perf_counter() - committed
        if waited < PATIENCE_S / 2:  # otherwise the poll timed out, since the same seat has the turn again
            delays.append(waited)
        sender.close()
        poll.close()
    return delays
