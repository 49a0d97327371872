"""The learning example: training gives a policy file, and the policy plays legal moves online."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from werkzeug.serving import make_server

from api.app import create_app
from tests.api.conftest import ApiWorld, compose
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "learning"


def train(out: Path, *, decks: int) -> str:
    """Train for a moment, and return what the example prints."""
    words = ["--deals", "12", "--seed", "5", "--decks", str(decks), "--out", str(out)]
    command = [sys.executable, str(EXAMPLE / "train.py"), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_training_is_reproducible_and_measures_the_policy(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    lines = train(first, decks=2).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["against random", "against greedy"]
    assert all("of 4 deals (95 %:" in line for line in lines)
    train(second, decks=0)
    assert first.read_text() == second.read_text()
    assert len(json.loads(first.read_text())["weights"]) > 20


@pytest.fixture
def address(redis_url: str, redis_client: redis.Redis) -> Iterator[tuple[ApiWorld, str]]:
    """Serve the API over HTTP, and return it with its address."""
    services = compose(redis_url)
    services.referee.store.heartbeat()
    app = create_app(services)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield ApiWorld(app, services, app.test_client()), f"http://127.0.0.1:{server.server_port}"
    services.hub.close()
    server.shutdown()


def test_a_learned_policy_plays_legal_moves_online(address: tuple[ApiWorld, str], tmp_path: Path) -> None:
    policy, (world, url) = tmp_path / "policy.json", address
    train(policy, decks=0)
    bot = world.bot()
    clock = {"move_ms": 60_000, "bank_ms": 600_000}
    match = world.match(bot, "house/greedy", deals=3, clock=clock)["id"]
    command = [sys.executable, str(EXAMPLE / "play.py"), str(policy)]
    environment = {**os.environ, "KOZYR_URL": url, "KOZYR_TOKEN": bot.token}
    with subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True) as player:
        try:
            eventually(
                lambda: (
                    world.client.get(f"/v1/matches/{match}").json["status"] == "finished"
                    or player.poll() is not None
                ),
                "the match is over",
            )
            # The client raises an error for a move that the service refuses, which ends the program.
            assert player.poll() is None, player.stderr and player.stderr.read()
        finally:
            player.terminate()
    record = world.client.get(f"/v1/matches/{match}/record").json
    mine = [move for move in record["moves"] if move["seat"] == 0]
    assert record["ending"] == "rules"
    assert mine
    assert not any(move.get("by") == "timeout" for move in mine)
