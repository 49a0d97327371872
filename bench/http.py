"""Moves over HTTP on one worker, compared with a constant Flask route under the same gunicorn, with 64 connections.

Every connection plays durak against `house/random`. A request covers a move, the house bot's reply, the rules for both
commits, and the next turn with its legal moves. Only the moves in the requests count.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import orjson
from prometheus_client.parser import text_string_to_metric_families

from bench.support.load import Load, Next, request
from bench.support.measure import at_least, at_most, interleaved, ratio
from bench.support.service import MEASURED
from tests.support.live import LiveService

CONNECTIONS = 64
BATCH = 32
BATCH_CONNECTIONS = 4
SECONDS = 2.0
CLOCK = {"move_ms": 600_000, "bank_ms": 600_000}


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder) / "a", settings=MEASURED) as service,
        LiveService(
            Path(folder) / "b",
            ["constant"],
            commands={
                "constant": [
                    sys.executable,
                    "-m",
                    "gunicorn",
                    "-c",
                    "python:kozyr.serve.gunicorn_conf",
                    "bench.support.constant:app",
                ]
            },
            settings=MEASURED,
            redis_url="redis://127.0.0.1:1/0",
            ready_path="/",
        ) as constant,
    ):
        _until_up(constant.url)
        tables = BenchTables(service)
        single = [tables.single(seed) for seed in range(CONNECTIONS)]
        many = [tables.many(seed) for seed in range(BATCH_CONNECTIONS)]
        loads = {
            "constant": Load(constant.url, [lambda body: request("GET", "/")] * CONNECTIONS),
            "moves": Load(service.url, single),
            "batch": Load(service.url, many),
        }
        measures = {name: partial(load.run, SECONDS) for name, load in loads.items()}
        found = interleaved(measures)
        found["batch"] = [rate * BATCH for rate in found["batch"]]
        round_trips = tables.trips_per_move()
        for load in loads.values():
            load.close()
    return [
        "| one worker, 64 connections | a second | beside the constant route | at least |",
        "| --- | --- | --- | --- |",
        f"| constant Flask route, requests | {statistics.median(found['constant']):,.0f} | 1 | |",
        _line("POST …/moves, moves", found["moves"], found["constant"], 0.57),
        _line(f"POST /v1/turns with {BATCH} moves, moves", found["batch"], found["constant"], 1.8),
        "",
        "| | | at most |",
        "| --- | --- | --- |",
        f"| Redis round trips a move, one at a time | {round_trips:.2f} | {at_most(round_trips, 1.1)} |",
    ]


def _line(name: str, values: list[float], base: list[float], least: float) -> str:
    found = ratio(values, base)
    return f"| {name} | {statistics.median(values):,.0f} | {found:.2f} | {at_least(found, least)} |"


def _until_up(url: str) -> None:
    for _ in range(200):
        try:
            httpx.get(url, trust_env=False)
            return
        except httpx.TransportError:
            continue


class BenchTables:
    """Creates owners, bots and matches for a measurement."""

    def __init__(self, service: LiveService) -> None:
        self._client = service.http()
        self._owner = self._post("/v1/owners", None, {"name": "bench"})["token"]

    def single(self, seed: int) -> Next:
        """Return a sequence of moves in one match."""
        token, match = self._against_random(f"single-{seed}", 1)
        rng = random.Random(seed)
        path = f"/v1/matches/{match}/moves?wait=5"
        turn = self.turns(token, 5)[0]

        def dialogue(body: bytes | None) -> bytes:
            nonlocal turn
            if body is not None:
                turn = orjson.loads(body)["next"]
            return request("POST", path, token, orjson.dumps(_answer(turn, rng)))

        return dialogue

    def many(self, seed: int) -> Next:
        """Return a sequence of moves in many matches at once."""
        token, _ = self._against_random(f"many-{seed}", BATCH)
        rng = random.Random(seed)
        turns = self.turns(token, 5)

        def dialogue(body: bytes | None) -> bytes:
            nonlocal turns
            if body is not None:
                turns = orjson.loads(body)["turns"]
            moves = [{"match": turn["match"], **_answer(turn, rng)} for turn in turns]
            return request("POST", "/v1/turns", token, orjson.dumps({"moves": moves, "wait": 0}))

        return dialogue

    def trips_per_move(self) -> float:
        """Return the round trips to Redis per move on one connection, without those of the background threads."""
        load = Load(str(self._client.base_url), [self.single(10_000)])
        idle = self._trips_a_second(lambda: time.sleep(SECONDS))
        began = time.perf_counter()
        busy = self._trips_a_second(lambda: load.run(SECONDS))
        moves = load.answered / (time.perf_counter() - began)
        load.close()
        return (busy - idle) / moves

    def _trips_a_second(self, during: Callable[[], object]) -> float:
        before, began = self.metric("kozyr_store_trips_total"), time.perf_counter()
        during()
        seconds = time.perf_counter() - began
        return (self.metric("kozyr_store_trips_total") - before) / seconds

    def bot(self, name: str, max_matches: int = 256) -> str:
        """Create a bot and return its token."""
        body = {"name": name, "version": "1", "match_policy": {"max_matches": max_matches}}
        token: str = self._post("/v1/bots", self._owner, body)["token"]
        return token

    def match(self, seats: list[str], token: str, **more: Any) -> str:
        """Create a match of durak and return its id."""
        body = {"game": "durak", "seats": seats, "clock": CLOCK, **more}
        ident: str = self._post("/v1/matches", body=body, token=token)["id"]
        return ident

    def turns(self, token: str, wait: float) -> list[dict[str, Any]]:
        """Return the open turns of a bot."""
        headers = {"Authorization": f"Bearer {token}"}
        found = self._client.get("/v1/turns", params={"wait": wait}, headers=headers)
        found.raise_for_status()
        turns: list[dict[str, Any]] = found.json()["turns"]
        return turns

    def metric(self, name: str) -> float:
        """Return the value of a metric that has one sample. Raise `LookupError` if it is missing."""
        for family in text_string_to_metric_families(self._client.get("/metrics").text):
            for sample in family.samples:
                if sample.name == name:
                    return float(sample.value)
        raise LookupError(f"/metrics has no {name}")

    def _against_random(self, name: str, matches: int) -> tuple[str, str]:
        token = self.bot(name)
        made = [self.match([f"bench/{name}", "house/random"], token, deals=1000) for _ in range(matches)]
        return token, made[0]

    def _post(self, path: str, token: str | None, body: Any) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self._client.post(path, json=body, headers=headers)
        if answer.is_error:
            raise RuntimeError(answer.text)
        return answer.json()


def _answer(turn: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    legal = turn["observation"]["legal_moves"]
    return {"turn": turn["turn"], "move": rng.choice(legal)}
