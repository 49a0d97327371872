"""Moves over HTTP on one worker, compared with a constant Flask route under the same gunicorn.

Every connection plays durak against `house/random`. A request covers a move, the house bot's reply, the rules for both
commits, and the next turn with its legal moves. Only the moves in the requests count.
"""

from __future__ import annotations

import statistics
import tempfile
from functools import partial
from pathlib import Path

from bench.support.bench_matches import BATCH, BATCH_CONNECTIONS, CONNECTIONS, SECONDS, BenchMatches
from bench.support.load import Load, request
from bench.support.measure import at_least, at_most, interleaved, ratio
from bench.support.service import MEASURED, constant_route
from tests.support.live import LiveService


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder) / "a", settings=MEASURED) as service,
        constant_route(Path(folder) / "b") as constant,
    ):
        tables = BenchMatches(service)
        single = [tables.single(seed) for seed in range(CONNECTIONS)]
        many = [tables.many(seed) for seed in range(BATCH_CONNECTIONS)]
        loads = {
            "constant": Load(constant.url, [lambda body: request("GET", "/")] * CONNECTIONS),
            "moves": Load(service.url, single),
            "batch": Load(service.url, many),
        }
        measures = {name: partial(load.run, SECONDS) for name, load in loads.items()}
        found = interleaved(measures)
        found["batch"] = [rate * BATCH for rate in found["batch"]]
        round_trips = tables.trips_per_move()
        for load in loads.values():
            load.close()
    constant_rate = statistics.median(found["constant"])
    return [
        "| one worker | a second | beside the constant route | at least |",
        "| --- | --- | --- | --- |",
        f"| constant Flask route, {CONNECTIONS} connections, requests | {constant_rate:,.0f} | 1 | |",
        _line(f"POST …/moves, {CONNECTIONS} connections, moves", found["moves"], found["constant"], 0.85),
        _line(
            f"POST /v1/turns with {BATCH} moves, {BATCH_CONNECTIONS} connections, moves",
            found["batch"],
            found["constant"],
            1.8,
        ),
        "",
        "| | | at most |",
        "| --- | --- | --- |",
        f"| Redis round trips a move, one at a time | {round_trips:.2f} | {at_most(round_trips, 1.1)} |",
    ]


def _line(name: str, values: list[float], base: list[float], least: float) -> str:
    found = ratio(values, base)
    return f"| {name} | {statistics.median(values):,.0f} | {found:.2f} | {at_least(found, least)} |"
