"""Moves a second beside the server that a student would write (`bench.serving.student_server`).

Each server, with its processes and its Redis, has one core to itself; the load has another one where there is one.
The servers take turns, and each run opens 64 new matches of Durak against a bot that moves at random.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import orjson

from bench.support.bench_matches import CONNECTIONS, BenchMatches, answer
from bench.support.load import Load, Next, request
from bench.support.measure import at_least, interleaved, percentile, ratio
from bench.support.service import MEASURED
from tests.support.live import LiveService

RUN_S: Final = 2.0
TARGET: Final = 2.4
CORES: Final = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [None]
_SERVE: Final = (
    "import os, uvicorn; os.environ['REDIS_URL'] = os.environ['KOZYR_REDIS_URL']; "
    "uvicorn.run('bench.serving.student_server:app', port=int(os.environ['KOZYR_PORT']), log_level='warning')"
)
_numbers = count()


def report() -> list[str]:
    """Return the lines of the table."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kb")))
        with _pinned(CORES[-1]):
            ours = stack.enter_context(LiveService(folder / "ours", settings=MEASURED))
            other = LiveService(
                folder / "student",
                ["redis", "api"],
                commands={"api": [sys.executable, "-c", _SERVE]},
                settings=MEASURED,
                ready_path="/openapi.json",
            )
            stack.enter_context(other)
        stack.enter_context(_pinned(CORES[0]))
        dialogue = partial(_dialogue, stack.enter_context(other.http()))
        tails: dict[str, list[float]] = {"Kozyr": [], "the student's server": []}
        found = interleaved(
            {
                "Kozyr": partial(_rate, ours, BenchMatches(ours).single, tails["Kozyr"]),
                "the student's server": partial(_rate, other, dialogue, tails["the student's server"]),
            }
        )
    lines = [
        f"| {CONNECTIONS} connections, one core | moves/s | p99, ms | beside the student's | at least |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, rates in found.items():
        share = ratio(rates, found["the student's server"])
        wanted = at_least(share, TARGET) if name == "Kozyr" else ""
        tail = statistics.median(tails[name])
        lines.append(f"| {name} | {statistics.median(rates):,.0f} | {tail:.1f} | {share:.2f} | {wanted} |")
    return lines


def _rate(service: LiveService, dialogue: Callable[[int], Next], tails: list[float]) -> float:
    """Return the moves per second of a run, and note the 99th percentile of its latency in ms."""
    with closing(Load(service.url, [dialogue(next(_numbers)) for _ in range(CONNECTIONS)])) as load:
        found = load.run(RUN_S)
        tails.append(1000 * percentile(load.latencies, 0.99))
    return found


def _dialogue(client: httpx.Client, seed: int) -> Next:
    """Return a sequence of moves in a new match on the student's server."""
    made, rng = client.post("/matches").raise_for_status().json(), random.Random(seed)
    path, turn = f"/matches/{made['id']}/moves", made["next"]

    def following(body: bytes | None) -> bytes:
        nonlocal turn
        if body is not None:
            turn = orjson.loads(body)["next"]
        return request("POST", path, made["token"], orjson.dumps(answer(turn, rng)))

    return following


@contextmanager
def _pinned(core: int | None) -> Iterator[None]:
    """Keep this thread, and the processes that it starts, on a core. Linux only."""
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
