"""Lateness of the deadline loop: from deadline, grace and settling time to the commit of the safe move, with
nobody calling. The commit's time is Redis's own, from the events of the turn after it."""

from __future__ import annotations

import tempfile
import time
from datetime import datetime
from pathlib import Path

import redis

from bench.http import Tables
from bench.measure import percentile
from tests.support.live import LiveService

MATCHES = 150
SETTLE_MS = 50


def report() -> list[str]:
    """The lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(
            Path(folder),
            ["redis", "api", "clock"],
            settings={"KOZYR_LOG_LEVEL": "warning", "KOZYR_SETTLE_MS": str(SETTLE_MS)},
        ) as service,
    ):
        tables = Tables(service)
        token = tables.bot("silent", at_most=MATCHES)
        channel = redis.Redis.from_url(service.redis_url).pubsub()
        channel.subscribe("kozyr:wake")
        channel.parse_response()
        due: dict[str, float] = {}
        clock = {"move_ms": 1500, "bank_ms": 0, "grace_ms": 0, "strikes": 1}
        for _ in range(MATCHES):
            match = tables.match(["bench/silent", "house/random"], token, clock=clock)
            (turn,) = [turn for turn in tables.turns(token, 5) if turn["match"] == match]
            # Service time is Redis time here: nothing was ever credited.
            due[match] = datetime.fromisoformat(turn["deadline"]).timestamp() + SETTLE_MS / 1000
        late = []
        until = time.time() + 60
        while len(late) < MATCHES and time.time() < until:
            message = channel.parse_response(block=False, timeout=1)
            now = time.time()
            if message and message[0] == b"message":
                match = message[2].decode().split(" ")[0]
                if match in due and now > due[match] - SETTLE_MS / 1000:
                    late.append(now - due.pop(match))
    return [
        f"| lateness of the deadline loop, {len(late)} of {MATCHES} deadlines | ms | at most |",
        "| --- | --- | --- |",
        f"| p50 | {percentile(late, 0.5) * 1000:.0f} | 250 |",
        f"| p99 | {percentile(late, 0.99) * 1000:.0f} | 250 |",
    ]
