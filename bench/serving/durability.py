"""The cost of each `appendfsync` setting: rate and latency of moves over HTTP with one worker.

One service plays the same matches throughout. In each round, `CONFIG SET appendfsync` selects one setting after the
other. Figures are medians over the rounds of the ratio to `everysec` in the same round. With `always`, all commits in
one iteration of Redis's event loop share a flush, and so do those that the API sends in one group (ADR 4).
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.support.bench_matches import BATCH, BATCH_CONNECTIONS, CONNECTIONS, BenchMatches
from bench.support.load import Load
from bench.support.measure import interleaved, percentile, ratio
from bench.support.service import MEASURED
from tests.support.live import LiveService

MODES = ("everysec", "always", "no")
SECONDS = 1.0
FLUSHES = 200


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), settings=MEASURED) as service,
    ):
        tables = BenchMatches(service)
        loads = {
            "1 connection": Load(service.url, [tables.single(1_000)]),
            f"{CONNECTIONS} connections": Load(
                service.url, [tables.single(seed) for seed in range(CONNECTIONS)]
            ),
            f"{BATCH_CONNECTIONS} connections, {BATCH} moves a request": Load(
                service.url, [tables.many(seed) for seed in range(BATCH_CONNECTIONS)]
            ),
        }
        lines = [
            "| moves over HTTP, beside `everysec` | `always`, rate | `no`, rate | `always`, p50 | `always`, p99 |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [_line(service, name, load) for name, load in loads.items()]
        flush = _flush_ms(service.var)
        for load in loads.values():
            load.close()
    return [*lines, "", f"A flush of 4 KiB took {flush:.2f} ms here (p50 of {FLUSHES})."]


def _line(service: LiveService, name: str, load: Load) -> str:
    latencies: dict[str, dict[float, list[float]]] = {mode: {0.5: [], 0.99: []} for mode in MODES}
    with service.redis() as client:

        def measured(mode: str) -> float:
            client.config_set("appendfsync", mode)
            rate = load.run(SECONDS)
            for share, values in latencies[mode].items():
                values.append(percentile(load.latencies, share))
            return rate

        measures: dict[str, Callable[[], float]] = {mode: partial(measured, mode) for mode in MODES}
        rates = interleaved(measures)
    always, base = latencies["always"], latencies["everysec"]
    return (
        f"| {name} | {ratio(rates['always'], rates['everysec']):.2f} | {ratio(rates['no'], rates['everysec']):.2f} "
        f"| {ratio(always[0.5], base[0.5]):.2f} | {ratio(always[0.99], base[0.99]):.2f} |"
    )


def _flush_ms(folder: Path) -> float:
    """Return the time in ms to flush an appended write to the disk of this folder."""
    taken = []
    with (folder / "flushed").open("wb", buffering=0) as out:
        for _ in range(FLUSHES):
            out.write(bytes(4096))
            start = time.perf_counter()
            os.fdatasync(out.fileno())
            taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000
