"""Long computations let other requests of their process run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from referee.running import replays
from tests.referee.world import World

UNDER_GEVENT = """
from gevent import monkey
monkey.patch_all()
import gevent, socket
from referee.greenlets import let_others_run
here, there = socket.socketpair()
other = gevent.spawn(here.recv, 1)
gevent.sleep(0.001)
there.sendall(b"x")
let_others_run()
let_others_run()
assert other.ready(), "the request has not been read"
"""


def test_a_request_that_has_arrived_is_read_while_another_one_pauses() -> None:
    subprocess.run([sys.executable, "-c", UNDER_GEVENT], check=True, timeout=60)


def test_a_replay_pauses_within_a_deal(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = world.play_out(world.match(2))
    pauses: list[None] = []
    monkeypatch.setattr(replays, "PAUSE_EVERY", 5)
    monkeypatch.setattr("referee.greenlets.let_others_run", lambda: pauses.append(None))
    moves = loaded.log.count("\n")
    assert moves > 10
    world.referee.replays.clear()
    assert world.referee.frames(loaded, None, 0, 1000)
    assert len(pauses) == (moves + 1) // 5, "the start and each move of its only deal are steps"
