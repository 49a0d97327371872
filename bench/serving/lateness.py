"""Lateness of the deadline loop: the delay of a safe move's commit after the deadline, grace and settling time.

No bot polls. The instant of the commit is Redis time, from the events of the next turn.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path

import redis

from bench.support.bench_matches import BenchMatches
from bench.support.measure import at_most, percentile
from bench.support.service import MEASURED
from tests.support.live import LiveService

MATCHES = 150
SETTLE_MS = 50


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(
            Path(folder),
            ["redis", "api", "clock"],
            settings={**MEASURED, "KOZYR_SETTLE_MS": str(SETTLE_MS)},
        ) as service,
    ):
        tables = BenchMatches(service)
        token = tables.bot("silent", max_matches=MATCHES)
        heard: dict[str, list[float]] = {}
        threading.Thread(target=_listen, args=(service.redis_url, heard), daemon=True).start()
        clock = {"move_ms": 1500, "bank_ms": 0, "grace_ms": 0, "strikes": 1}
        # The first deadline after a rest brings a credit (`IDLE_BEAT_S`), which stays.
        _, rested = tables.against_random("rested", 1)
        time.sleep(1)
        behind = time.time() - datetime.fromisoformat(tables.service_time(rested)).timestamp()
        due: dict[str, float] = {}
        for _ in range(MATCHES):
            match = tables.match(["bench/silent", "house/random"], token, clock=clock)
            for turn in tables.turns(token, 5):
                instant = datetime.fromisoformat(turn["deadline"]).timestamp()
                due[turn["match"]] = instant + behind + SETTLE_MS / 1000
            assert match in due
        time.sleep(3)
        # The commit that ends a match is its last wake-up.
        late = [heard[match][-1] - instant for match, instant in due.items() if heard.get(match)]
    p99 = percentile(late, 0.99) * 1000
    return [
        f"| lateness of the deadline loop, {len(late)} of {MATCHES} deadlines | ms | at most |",
        "| --- | --- | --- |",
        f"| p50 | {percentile(late, 0.5) * 1000:.0f} | |",
        f"| p99 | {p99:.0f} | {at_most(p99, 120)} |",
    ]


def _listen(redis_url: str, heard: dict[str, list[float]]) -> None:
    channel = redis.Redis.from_url(redis_url).pubsub()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
    channel.subscribe("kozyr:wake")
    # The server ends with the measurement.
    with contextlib.suppress(redis.exceptions.ConnectionError):
        for message in channel.listen():
            if message["type"] == "message":
                heard.setdefault(message["data"].decode().split(" ")[0], []).append(time.time())
