"""The main pages of the site beside a constant Flask route, each over one connection, in turn.

The service has one worker and holds a ladder that has played a round, and a match of King. Each page is read once a
round, and so is the constant route.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

from bench.support.measure import at_most, interleaved, percentile, ratio, used_seconds
from bench.support.service import MEASURED, constant_route
from server.config.settings import Settings
from server.container import Container
from tests.support.live import LiveService

READINGS: Final = 100
MOST_MS: Final = 50
HOUSE: Final = ("house/greedy", "house/random")


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder) / "site", ["redis", "api"], settings=MEASURED) as service,
        constant_route(Path(folder) / "constant") as constant,
        service.http() as client,
        constant.http() as other,
    ):
        paths = _furnished(service, client)
        used = dict.fromkeys(paths, 0.0)
        measures = {path: partial(_ms, client, path, used, _worker(service)) for path in paths}
        constant_ms = partial(_ms, other, "/", {"/": 0.0}, _worker(constant))
        found = interleaved({"constant": constant_ms, **measures}, READINGS)
    base = found.pop("constant")
    lines = [
        "| page | p50, ms | p99, ms | processor time, ms | beside a constant route | p99 at most |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for path, times in found.items():
        median, tail = statistics.median(times), percentile(times, 0.99)
        lines.append(
            f"| {paths[path]} | {median:.1f} | {tail:.1f} | {used[path] / (READINGS + 1):.1f} "
            f"| {ratio(times, base):.1f} | {at_most(tail, MOST_MS)} |"
        )
    return lines


def _furnished(service: LiveService, client: httpx.Client) -> dict[str, str]:
    """Fill the service. Return the names of its pages by their addresses."""
    parts = Container(Settings(redis_url=service.redis_url, secret="s" * 32))
    token = client.post("/v1/owners", json={"name": "bench"}).raise_for_status().json()["token"]

    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = client.post(path, json=body, headers={"Authorization": f"Bearer {token}"})
        made: dict[str, Any] = answer.raise_for_status().json()
        return made

    settings = {"name": "Bench", "game": "durak", "seats": 2, "decks": "rotated", "repeats": 12}
    ladder = post("/v1/ladders", settings)["id"]
    for bot in HOUSE:
        post(f"/v1/ladders/{ladder}/entries", {"bot": bot})
    round_ = parts.rounds.start(ladder)
    while parts.rounds.work(ladder, round_.number):
        pass
    king = post("/v1/matches", {"game": "king", "seats": [*HOUSE, *HOUSE]})["id"]
    while parts.referee.go_on(king, 5.0):
        pass
    durak = client.get(f"/v1/matches?ladder={ladder}").json()["matches"][0]["id"]
    return {
        "/": "home",
        "/ladders": "ladders",
        f"/ladders/{ladder}": "a ladder",
        f"/ladders/{ladder}/cross": "its cross table",
        f"/ladders/{ladder}/screen": "the same on a projector",
        "/bots": "bots",
        "/bots/house/greedy": "a bot",
        "/matches": "matches",
        f"/matches/{durak}": "a match of Durak",
        f"/matches/{king}": "a match of King, 12 deals",
        "/tv": "live",
        "/games/durak": "a game",
        "/play?game=durak&seats=4": "the form of a match",
        "/models": "models",
        "/help": "help",
    }


def _worker(service: LiveService) -> int:
    """Return the only worker of a service under gunicorn."""
    master = service.pid("api")
    (worker,) = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return int(worker)


def _ms(client: httpx.Client, path: str, used: dict[str, float], worker: int) -> float:
    """Return the duration of a request in ms. Add the processor time of its worker."""
    before, began = used_seconds(worker), time.perf_counter()
    client.get(path, headers={"Accept": "text/html"}).raise_for_status()
    passed = time.perf_counter() - began
    used[path] += 1000 * (used_seconds(worker) - before)
    return 1000 * passed
