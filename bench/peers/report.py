"""Kozyr beside its peers: a student's server over HTTP, and other libraries of card games in Python.

Both servers have one worker process, a Redis of their own and 64 connections, each in a match of Durak against a bot
that moves at random. Rounds alternate. The processor time of a server is that of its worker process alone.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import httpx
import orjson

from bench.rules.engine import HEARTS, SECONDS, playout_of
from bench.support.load import Load, Next, request
from bench.support.measure import at_least, interleaved, percentile, ratio
from bench.support.service import MEASURED
from bench.support.tables import CONNECTIONS, BenchTables
from kozyr.serve.embedded import EmbeddedRedis
from tests.support.live import LiveService

RUN_S = 2.0
NOT_COMPARABLE = (
    "The student's server keeps no deadlines, records, retries, rate limits or logs, and stores each match as",
    "one JSON text. `hearts` and hold'em are other games: their moves/s show what rules driven from Python",
    "cost. boardgame.io, Colyseus and RLCard are not measured here: the first two need packages of npm and a",
    "client that speaks their own protocol, and the last release of RLCard is of 2023.",
)
"""What the tables don't show."""


def report() -> list[str]:
    """Return the lines of the tables."""
    return [*_servers(), "", *_libraries(), "", *NOT_COMPARABLE]


def _servers() -> list[str]:
    if find_spec("fastapi") is None:
        return ["FastAPI is not installed here: run `make bench-peers`."]
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        database = EmbeddedRedis(Path(folder) / "redis").start()
        try:
            with (
                LiveService(Path(folder) / "ours", settings=MEASURED) as ours,
                LiveService(
                    Path(folder) / "student",
                    ["student"],
                    commands={"student": _student()},
                    settings={**MEASURED, "REDIS_URL": database.url},
                    redis_url=database.url,
                    ready_path="/openapi.json",
                ) as student,
            ):
                return _moves(ours, student)
        finally:
            database.stop()


def _student() -> list[str]:
    """Return the command of the student's server, which gets its port from `KOZYR_PORT`."""
    serve = "import os, uvicorn; uvicorn.run('bench.peers.student:app', port=int(os.environ['KOZYR_PORT']), "
    return [sys.executable, "-c", serve + "log_level='warning')"]


def _moves(ours: LiveService, student: LiveService) -> list[str]:
    tables = BenchTables(ours)
    loads = {
        "ours": Load(ours.url, [tables.single(seed) for seed in range(CONNECTIONS)]),
        "student": Load(student.url, [_dialogue(student.url, seed) for seed in range(CONNECTIONS)]),
    }
    tails: dict[str, list[float]] = {name: [] for name in loads}

    def rate(name: str) -> float:
        found = loads[name].run(RUN_S)
        tails[name].append(1000 * percentile(loads[name].latencies, 0.99))
        return found

    found = interleaved({name: partial(rate, name) for name in loads})
    for load in loads.values():
        load.close()
    share = ratio(found["ours"], found["student"])
    return [
        f"| {CONNECTIONS} connections, one worker | moves/s | p99, ms | beside the student's | at least |",
        "| --- | --- | --- | --- | --- |",
        f"| Kozyr | {statistics.median(found['ours']):,.0f} | {statistics.median(tails['ours']):.1f} | {share:.2f} "
        f"| {at_least(share, 1.5)} |",
        f"| the student's server | {statistics.median(found['student']):,.0f} "
        f"| {statistics.median(tails['student']):.1f} | 1 | |",
    ]


def _dialogue(url: str, seed: int) -> Next:
    """Return a sequence of moves in one match on the student's server."""
    made = httpx.post(f"{url}/matches", trust_env=False).raise_for_status().json()
    path, token, turn, rng = f"/matches/{made['id']}/moves", made["token"], made["next"], random.Random(seed)

    def dialogue(body: bytes | None) -> bytes:
        nonlocal turn
        if body is not None:
            turn = orjson.loads(body)["next"]
        move = rng.choice(turn["observation"]["legal_moves"])
        return request("POST", path, token, orjson.dumps({"turn": turn["turn"], "move": move}))

    return dialogue


def _libraries() -> list[str]:
    """Return the moves per second of random playouts in one process, each library in its own game."""
    playouts = {"Kozyr, durak": playout_of("durak")}
    if find_spec("pyspiel") is not None:
        playouts["OpenSpiel, hearts"] = playout_of(HEARTS)
    if find_spec("pokerkit") is not None:
        playouts["PokerKit, no-limit hold'em"] = _holdem()
    found = interleaved({name: partial(_rate, playout) for name, playout in playouts.items()}, rounds=3)
    lines = ["| random playouts in one process | moves/s of processor time |", "| --- | --- |"]
    return [*lines, *(f"| {name} | {statistics.median(rates):,.0f} |" for name, rates in found.items())]


def _rate(playout: Callable[[], int]) -> float:
    moves, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        moves += playout()
    return moves / (time.process_time() - began)


def _holdem() -> Callable[[], int]:
    """Return a function that plays a hand of hold'em with checks, calls and folds, and returns the number of moves."""
    from pokerkit import Automation, NoLimitTexasHoldem

    automations = tuple(Automation)
    rng = random.Random(1)

    def playout() -> int:
        moves = 0
        hand = NoLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, (200, 200), 2)
        while hand.status:
            if hand.can_fold() and rng.random() < 0.1:
                hand.fold()
            else:
                hand.check_or_call()
            moves += 1
        return moves

    return playout
