"""What a move costs each process, in processor time. It depends little on what else the machine does, so hosts can be
planned from it (docs/many-hosts.md)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.support.bench_matches import BATCH, BATCH_CONNECTIONS, CONNECTIONS, BenchMatches
from bench.support.load import Load
from bench.support.measure import used_seconds
from bench.support.service import MEASURED
from tests.support.live import LiveService

SECONDS = 6.0


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder) / "a", settings=MEASURED) as service,
    ):
        tables = BenchMatches(service)
        single = Load(service.url, [tables.single(seed) for seed in range(CONNECTIONS)])
        many = Load(service.url, [tables.many(seed) for seed in range(BATCH_CONNECTIONS)])
        lines = [
            _line(service, f"POST …/moves, {CONNECTIONS} connections", lambda: single.run(SECONDS) * SECONDS),
            _line(
                service,
                f"POST /v1/turns with {BATCH} moves",
                lambda: many.run(SECONDS) * SECONDS * BATCH,
            ),
        ]
        single.close()
        many.close()
    return [
        "| processor time of a move and its reply, µs | API | Redis | clock | moves a core of the API | of Redis |",
        "| --- | --- | --- | --- | --- | --- |",
        *lines,
    ]


def _line(service: LiveService, name: str, play: Callable[[], float]) -> str:
    before = _processors(service)
    moves = play()
    cost = {part: 1e6 * (used - before[part]) / moves for part, used in _processors(service).items()}
    return (
        f"| {name} | {cost['api']:,.0f} | {cost['redis']:,.0f} | {cost['clock']:,.0f} | "
        f"{1e6 / cost['api']:,.0f} | {1e6 / cost['redis']:,.0f} |"
    )


def _processors(service: LiveService) -> dict[str, float]:
    """Return the processor time that each part has used, in seconds."""
    parts = {"api": service.api_workers(), "redis": [service.pid("redis")], "clock": [service.pid("clock")]}
    return {part: sum(map(used_seconds, pids)) for part, pids in parts.items()}
