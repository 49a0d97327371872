"""Owners, bots and matches for a measurement, and the dialogues that play them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import orjson
from prometheus_client.parser import text_string_to_metric_families

from bench.support.load import Load, Next, request
from tests.support.live import LiveService

CONNECTIONS = 64
BATCH = 32
BATCH_CONNECTIONS = 16
"""With few of them, the worker often waits for flushes to disk that it does not share (`bench.serving.durability`)."""
SECONDS = 2.0
CLOCK = {"move_ms": 600_000, "bank_ms": 600_000}


class BenchMatches:
    """Creates owners, bots and matches for a measurement."""

    def __init__(self, service: LiveService) -> None:
        self._client, self._metrics = service.http(), service.metrics
        self._owner = self._post("/v1/owners", None, {"name": "bench"})["token"]

    def single(self, seed: int) -> Next:
        """Return a sequence of moves in one match."""
        token, match = self.against_random(f"single-{seed}", 1)
        rng = random.Random(seed)
        path = f"/v1/matches/{match}/moves?wait=5"
        turn = self.turns(token, 5)[0]

        def dialogue(body: bytes | None) -> bytes:
            nonlocal turn
            if body is not None:
                turn = orjson.loads(body)["next"]
            return request("POST", path, token, orjson.dumps(answer(turn, rng)))

        return dialogue

    def many(self, seed: int) -> Next:
        """Return a sequence of moves in many matches at once."""
        token, _ = self.against_random(f"many-{seed}", BATCH)
        rng = random.Random(seed)
        turns = self.turns(token, 5)

        def dialogue(body: bytes | None) -> bytes:
            nonlocal turns
            if body is not None:
                turns = orjson.loads(body)["turns"]
            moves = [{"match": turn["match"], **answer(turn, rng)} for turn in turns]
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

    def service_time(self, match: str) -> str:
        """Return the service time at which a match was looked at."""
        now: str = self._client.get(f"/v1/matches/{match}").raise_for_status().json()["now"]
        return now

    def metric(self, name: str) -> float:
        """Return the value of a metric that has one sample. Raise `LookupError` if it is missing."""
        for family in text_string_to_metric_families(self._metrics()):
            for sample in family.samples:
                if sample.name == name:
                    return float(sample.value)
        raise LookupError(f"/metrics has no {name}")

    def against_random(self, name: str, matches: int) -> tuple[str, str]:
        """Create a bot and its long matches against `random`. Return its token and the first match."""
        token = self.bot(name)
        made = [self.match([f"bench/{name}", "house/random"], token, deals=1000) for _ in range(matches)]
        return token, made[0]

    def _post(self, path: str, token: str | None, body: Any) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self._client.post(path, json=body, headers=headers)
        if answer.is_error:
            raise RuntimeError(answer.text)
        return answer.json()


def answer(turn: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a random legal move of a turn."""
    legal = turn["observation"]["legal_moves"]
    return {"turn": turn["turn"], "move": rng.choice(legal)}
