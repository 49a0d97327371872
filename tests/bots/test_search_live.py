"""The search bot at a real service: as a client over HTTP, and as a house bot in the worker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kozyr_client import Client
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.live, pytest.mark.soak]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "search_bot.py"
CLOCK = {"move_ms": 30_000, "bank_ms": 0}


def test_the_example_plays_the_house_search_bot_over_http(tmp_path: Path) -> None:
    with LiveService(tmp_path) as service:
        with Client(service.url) as client:
            owner = client.register_owner("thinker")["token"]
        with Client(service.url, owner) as client:
            token = str(client.create_bot("search")["token"])
        command = [sys.executable, str(EXAMPLE), "0.02"]
        environment = {**os.environ, "KOZYR_URL": service.url, "KOZYR_TOKEN": token}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with Client(service.url, token) as client:
                ids = [
                    client.create_match(game, ["thinker/search", "house/search-100ms"], clock=CLOCK)["id"]
                    for game in ("durak", "svoi_kozyri")
                ]
                eventually(lambda: all(client.match(one)["status"] == "finished" for one in ids), "over")
                records = [client.record(one) for one in ids]
        finally:
            process.terminate()
            out, err = process.communicate(timeout=60)
    assert out.endswith(b"stopped\n")
    assert err == b""
    for record in records:
        assert record["ending"] == "rules"
        house = next(seat for seat, sat in enumerate(record["seats"]) if sat["bot"] == "house/search-100ms")
        thought = [move["ms"] for move in record["moves"] if move["seat"] == house and "ms" in move]
        assert thought
        assert all(100 <= ms < 2_000 for ms in thought), (
            "the budget is used up, and no clock but its own runs"
        )
        assert not any("by" in move for move in record["moves"])
