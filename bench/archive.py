"""Archived records in S3: p50 and p99 of one record, from an S3 server on loopback.

`from S3` reads with an empty cache each time: the tables that say where the record is, then its frame. `over HTTP` asks
an API worker, which caches what it has read. Matches are asked for in random order.
"""

from __future__ import annotations

import logging
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import boto3
import httpx
from click.testing import CliRunner
from moto.server import ThreadedMotoServer

from bench.polls import until
from bench.support.measure import at_most, percentile
from bench.support.service import MEASURED
from kozyr.cli.main import main
from kozyr.config.settings import load
from kozyr.container import Container
from referee.tables.cache import ByteCache
from tests.support.live import LiveService, free_port

READINGS: Final = 300
TARGET_MS: Final = 300.0
_REPEATS: Final = 150
_BUCKET: Final = "kozyr-bench"


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        _s3() as settings,
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


@contextmanager
def _s3() -> Iterator[Mapping[str, str]]:
    """Start an S3 server with a bucket, and yield the variables that lead to it."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it has a line for each request
    server = ThreadedMotoServer("127.0.0.1", free_port(), verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    client: Any = boto3.client("s3", endpoint_url=address, region_name="us-east-1", **keys)
    client.create_bucket(Bucket=_BUCKET)
    yield {
        "AWS_ENDPOINT_URL": address,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "KOZYR_ARCHIVE_URL": f"s3://{_BUCKET}/league",
    }
    server.stop()


def _archived(service: LiveService, client: httpx.Client) -> list[str]:
    """Play a round of house bots, move its matches to the archive, and return their ids."""
    owner = client.post("/v1/owners", json={"name": "bench"}).json()["token"]
    headers = {"Authorization": f"Bearer {owner}"}
    body = {"name": "Bench", "game": "durak", "seats": 2, "decks": "rotated", "repeats": _REPEATS}
    ladder = client.post("/v1/ladders", json=body, headers=headers).json()["id"]
    for bot in ("house/greedy", "house/random"):
        client.post(f"/v1/ladders/{ladder}/entries", json={"bot": bot}, headers=headers).raise_for_status()
    client.post(f"/v1/ladders/{ladder}/rounds", headers=headers).raise_for_status()

    def over() -> bool:
        found = client.get(f"/v1/ladders/{ladder}/rounds").json()["rounds"]
        return bool(found) and found[0]["ended"] is not None

    until(over)
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
