"""The time of complete standings by the number of bots."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from bench.league.standings import AT_ONCE, BenchSeason, Readings
from bench.support.service import MEASURED
from kozyr.config.settings import Settings
from kozyr.container import Container
from tests.support.live import LiveService

BOTS: Final = (10, 100, 300, 1000, 3000)
ROUNDS: Final = 10


def lines() -> list[str]:
    """Return the lines of the table."""
    table = [
        "| complete standings | p50, ms | p99, ms | CPU, ms | at most |",
        "| --- | --- | --- | --- | --- |",
    ]
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), ["redis", "api"], settings=MEASURED) as service,
        service.http() as client,
    ):
        parts = Container(Settings(redis_url=service.redis_url, secret="s" * 32))
        readings = Readings(client, service.pid("api"))
        for bots in BOTS:
            season = BenchSeason(parts, bots)
            for _ in range(ROUNDS):
                season.count(min(bots, AT_ONCE))
            path = f"/v1/ladders/{season.ladder}/standings"
            readings.ms(path)
            table.append(readings.line(f"of {bots:,} bots, unchanged", path))
            table.append(
                readings.line(
                    f"of {bots:,} bots, a match counted before each", path, partial(season.count, 1)
                )
            )
    return table
