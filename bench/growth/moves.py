"""Moves per second by the number of API workers, and which process is busy. The load generator is one of them."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench.support.load import Load
from bench.support.measure import used_seconds
from bench.support.service import MEASURED
from bench.support.tables import BATCH, BATCH_CONNECTIONS, CONNECTIONS, BenchTables
from tests.support.live import LiveService

WORKERS: Final = (1, 2, 3, 4)
SECONDS: Final = 6.0


def lines() -> list[str]:
    """Return the lines of the table."""
    return [
        f"| API workers, on {os.cpu_count()} cores | moves/s, one by one | cores: API | Redis | load "
        f"| moves/s, {BATCH} in a request | cores: API | Redis | load |",
        "| --- |" + " --- |" * 8,
        *map(_line, WORKERS),
    ]


def _line(workers: int) -> str:
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), settings={**MEASURED, "KOZYR_API_WORKERS": str(workers)}) as service,
    ):
        tables = BenchTables(service)
        single = _cells(service, [tables.single(seed) for seed in range(CONNECTIONS)], 1)
        many = _cells(service, [tables.many(seed) for seed in range(BATCH_CONNECTIONS)], BATCH)
    return f"| {workers} | {single} | {many} |"


def _cells(service: LiveService, dialogues: Sequence[Callable[[bytes | None], bytes]], moves: int) -> str:
    """Return the moves per second, and how many cores each part kept busy."""
    load = Load(service.url, dialogues)
    load.run(SECONDS / 3)  # so that tokens and matches are remembered
    before, began = _used(service), time.perf_counter()
    rate = load.run(SECONDS) * moves
    seconds = time.perf_counter() - began
    busy = [(after - used) / seconds for after, used in zip(_used(service), before, strict=True)]
    load.close()
    return " | ".join([f"{rate:,.0f}", *(f"{cores:.2f}" for cores in busy)])


def _used(service: LiveService) -> tuple[float, float, float]:
    """Return the processor time so far, in seconds, of the API workers, of Redis and of this process."""
    return (
        sum(map(used_seconds, service.api_workers())),
        used_seconds(service.pid("redis")),
        time.process_time(),
    )
