"""A rolling update of two hosts, one process after another, while bots play through a front proxy.

Every process is stopped and started again, and the API is also reloaded. Nothing is paused. Each process stays away
until bots have moved without it, so the matches depend on those that remain.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from kozyr_client import Client, Turn
from tests.live.law import replay
from tests.live.league import LiveBot, LiveLeague
from tests.support.front import FrontProxy
from tests.support.live import LiveService
from tests.support.ports import free_port
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

MOVE_MS = 60_000
CLOCK = {"move_ms": MOVE_MS, "bank_ms": 5_000, "grace_ms": 0, "strikes": 1}
PARTS = ("api", "clock", "worker")


class RollingBot:
    """A bot that plays all its turns at random until it is stopped, and remembers its choices."""

    def __init__(self, url: str, bot: LiveBot, seed: int) -> None:
        self.bot = bot
        self.chosen: dict[tuple[str, int], list[str]] = defaultdict(list)
        """By match and turn."""
        self.error: BaseException | None = None
        self._rng = random.Random(seed)
        self.client = Client(url, bot.token)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    @property
    def moves(self) -> int:
        return len(self.chosen)

    def _run(self) -> None:
        try:
            self.client.play(self._choose)
        except BaseException as error:
            self.error = error

    def _choose(self, turn: Turn) -> str:
        move = self._rng.choice(turn.legal_moves)
        self.chosen[turn.match, turn.number].append(move)
        return move


class RollingUpdate:
    """Two hosts behind a front, bots that play there, and a steady number of matches."""

    def __init__(self, hosts: list[LiveService], front: FrontProxy, matches: int) -> None:
        self.hosts, self.front, self.steady = hosts, front, matches
        self.league = LiveLeague(hosts[0])
        self.league.http.base_url = front.url
        self.league.http.headers["Connection"] = "close"  # a host that stops would close it under a request
        self.bots = [self.league.bot(f"bot{number}") for number in range(8)]
        self.players = [RollingBot(front.url, bot, seed) for seed, bot in enumerate(self.bots)]
        self.matches: list[str] = []
        self.running: set[str] = set()

    def refill(self) -> None:
        """Create matches until the steady number runs. Every third is against a house bot that a worker plays."""
        self.running = {match for match in self.running if self._status(match) != "finished"}
        while len(self.running) < self.steady:
            number = len(self.matches)
            first, second = self.bots[number % 8], self.bots[(number // 8 + number + 1) % 8]
            rival: LiveBot | str = "house/search:2" if number % 3 == 0 or first == second else second
            match = self.league.match([first, rival], clock=CLOCK)
            self.matches.append(match)
            self.running.add(match)

    def progress(self) -> None:
        """Wait until every bot has moved twice more, in a steady number of matches."""
        before = [player.moves for player in self.players]

        def moved() -> bool:
            self.refill()
            return all(player.moves >= count + 2 for player, count in zip(self.players, before, strict=True))

        eventually(moved, "every bot moves on")

    def update(self) -> None:
        """Restart everything, one process at a time."""
        for host in self.hosts:
            for part in ("worker", "clock"):
                host.terminate(part, within=30)
                self.progress()
                host.start(part)
            old = set(host.api_workers())
            host.signal("api", signal.SIGHUP)
            eventually(lambda old=old, host=host: not old & set(host.api_workers()), "new workers")  # type: ignore[misc]  # bound at once
            self.progress()
            self.front.drain(host.port)
            host.terminate("api", within=30)
            self.progress()
            host.start("api")
            self.front.restore(host.port)
            self.progress()

    def finish(self) -> None:
        """Wait until all matches are over, and stop the bots."""

        def over() -> bool:
            self.running = {match for match in self.running if self._status(match) != "finished"}
            return not self.running

        eventually(over, "all matches end")
        for player in self.players:
            player.client.stop()
            assert player.error is None, player.error

    def records(self) -> Iterator[dict[str, Any]]:
        for match in self.matches:
            yield self.league.record(match)

    def _status(self, match: str) -> str:
        return str(self.league.get(f"/v1/matches/{match}")["status"])


def on_host(name: str, part: str) -> list[str]:
    """Return the command of a process on a host of its own name, if this user can give one."""
    command = [sys.executable, "-m", "kozyr", part]
    if os.getuid() != 0 or shutil.which("unshare") is None or shutil.which("hostname") is None:
        return command
    return ["unshare", "--uts", "sh", "-c", f'hostname {name} && exec "$0" "$@"', *command]


@contextmanager
def rolling(folder: Path, matches: int) -> Iterator[RollingUpdate]:
    with ExitStack() as stack:
        redis = stack.enter_context(LiveService(folder / "redis", ("redis",)))
        settings = {
            "KOZYR_SECRET": redis.environment["KOZYR_SECRET"],
            "KOZYR_SIGNING_KEY": "5a" * 32,
            "KOZYR_RATE_CREATIONS": "0",
            "KOZYR_TICK_MS": "20",
        }
        ports = [free_port(), free_port()]
        hosts = [
            stack.enter_context(
                LiveService(
                    folder / name,
                    PARTS,
                    settings=settings,
                    commands={part: on_host(name, part) for part in PARTS},
                    redis_url=redis.redis_url,
                    port=port,
                )
            )
            for name, port in zip(("host-a", "host-b"), ports, strict=True)
        ]
        front = stack.enter_context(FrontProxy(ports))
        update = RollingUpdate(hosts, front, matches)
        try:
            yield update
        finally:
            for player in update.players:
                player.client.stop()


def check(update: RollingUpdate) -> None:
    """Assert the law: each choice was made exactly as chosen, none is missing, and no clock was charged."""
    chosen: dict[tuple[str, int], list[str]] = {}
    for player in update.players:
        chosen |= player.chosen
    made: dict[tuple[str, int], str] = {}
    names = {bot.name for bot in update.bots}
    for record in update.records():
        assert record["ending"] == "rules"
        remote = [seat["bot"] in names for seat in record["seats"]]
        for move in replay(record):
            if remote[move.seat] and move.turn is not None:
                assert move.by is None, f"{record['match']}: the referee played {move}"
                assert move.ms <= MOVE_MS, f"{record['match']}: {move} cost the bank of its seat"
                made[record["id"], move.turn] = move.move
    assert made.keys() == chosen.keys(), "every move was made, and nothing else"
    for turn, moves in chosen.items():
        assert set(moves) == {made[turn]}, f"{turn}: chose {moves}"


@pytest.mark.soak
@pytest.mark.parametrize("matches", [6, 100])
def test_an_update_loses_no_move_and_charges_no_clock(
    matches: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with rolling(tmp_path, matches) as update:
        update.progress()
        update.update()
        update.finish()
        check(update)
        assert all(update.front.carried.values()), "both hosts served"
        moves = sum(player.moves for player in update.players)
        record_property("report", f"{len(update.matches)} matches, {moves} moves during the update")
