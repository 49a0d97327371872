"""Archived records in S3: p50 and p99 of one record, from an S3 server on loopback.

`from S3` reads with an empty cache each time: the tables that say where the record is, then its frame. `over HTTP` asks
an API worker, which caches what it has read. Matches are asked for in random order.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from unittest.mock import patch

import httpx
from click.testing import CliRunner

from bench.support.measure import at_most, percentile
from bench.support.rounds import played_ladder
from bench.support.service import MEASURED
from kozyr.cli.main import main
from referee.byte_cache import ByteCache
from server.config.settings import load
from server.container import Container
from tests.support.live import LiveService
from tests.support.s3 import s3_server

READINGS: Final = 300
TARGET_MS: Final = 300.0
_REPEATS: Final = 150


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        s3_server() as settings,
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), settings={**MEASURED, **settings}) as service,
        service.http() as client,
    ):
        matches = _archived(service, client)
        order = random.Random(1).choices(matches, k=READINGS)
        with patch.dict("os.environ", service.environment):
            uncached = _uncached(order)
        over_http = _taken(order, lambda match: client.get(f"/v1/matches/{match}/record").raise_for_status())
    lines = [
        f"| one of {len(matches)} archived records, {READINGS} readings | p50, ms | p99, ms | at most, ms |",
        "| --- | --- | --- | --- |",
    ]
    for name, found in {"from S3": uncached, "over HTTP": over_http}.items():
        p99 = percentile(found, 0.99)
        lines.append(f"| {name} | {percentile(found, 0.5):.1f} | {p99:.1f} | {at_most(p99, TARGET_MS)} |")
    return lines


def _archived(service: LiveService, client: httpx.Client) -> list[str]:
    """Play a round of house bots, move its matches to the archive, and return their ids."""
    ladder = played_ladder(client, _REPEATS)
    moved = CliRunner().invoke(main, ["archive", "run", "--days", "0"], env=service.environment)
    assert moved.exit_code == 0, moved.output
    lines = client.get(f"/v1/matches?ladder={ladder}&limit=200").json()["matches"]
    return [each["id"] for each in lines]


def _uncached(order: Sequence[str]) -> list[float]:
    """Return how long each record takes in a process that keeps nothing of the archive, in ms."""
    container = Container(load())
    container.archive_cache = ByteCache(0)
    try:
        return _taken(order, lambda match: container.referee.record(container.referee.look(match)).to_json())
    finally:
        container.redis.close()


def _taken(order: Sequence[str], read: Callable[[str], object]) -> list[float]:
    read(order[0])
    found = []
    for match in order:
        began = time.perf_counter()
        read(match)
        found.append(1000 * (time.perf_counter() - began))
    return found
