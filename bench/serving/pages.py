"""Pages of the site on one worker: p50 and p99 of each kind, in ms and beside a constant Flask route.

A ladder of house bots is played first, so pages have standings, matches and a comparison to show. Each reading requests
the constant route and then every page once, on kept connections, so that the drift of the machine cancels out.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx

from bench.support.measure import at_most, percentile
from bench.support.rounds import played_ladder
from bench.support.service import MEASURED, constant_route
from tests.support.live import LiveService

READINGS: Final = 120
TARGET_MS: Final = 50.0
_REPEATS: Final = 10


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder) / "a", settings=MEASURED) as service,
        constant_route(Path(folder) / "b") as constant,
        service.http() as client,
        constant.http() as base,
    ):
        pages = _played(client)
        readings = _readings(client, base, pages)
    base_ms = readings.pop("")
    lines = [
        f"| {READINGS} readings of each page, one worker | p50, ms | p99, ms | p99 beside the constant | at most, ms |",
        "| --- | --- | --- | --- | --- |",
        f"| constant Flask route | {percentile(base_ms, 0.5):.1f} | {percentile(base_ms, 0.99):.1f} | 1 | |",
    ]
    for name, found in readings.items():
        p99 = percentile(found, 0.99)
        beside = p99 / percentile(base_ms, 0.99)
        lines.append(
            f"| {name} | {percentile(found, 0.5):.1f} | {p99:.1f} | {beside:.1f} | {at_most(p99, TARGET_MS)} |"
        )
    return lines


def _played(client: httpx.Client) -> Mapping[str, str]:
    """Play a round of a ladder. Return the addresses of pages by their kind."""
    ladder = played_ladder(client, _REPEATS)
    match = client.get(f"/v1/matches?ladder={ladder}&status=finished").json()["matches"][0]["id"]
    group = client.get(f"/v1/matches/{match}/record").json()["group"]
    return {
        "home": "/home",
        "ladders": "/ladders",
        "standings": f"/ladders/{ladder}",
        "cross table": f"/ladders/{ladder}/cross",
        "rounds": f"/ladders/{ladder}/rounds",
        "schedule": f"/ladders/{ladder}/schedule",
        "bots": "/bots",
        "bot": "/bots/house/greedy",
        "matches": "/matches",
        "match": f"/matches/{match}",
        "comparison": f"/groups/{group}/compare",
        "game with an example deal": "/games/king",
        "running matches": "/tv",
        "help": "/help",
    }


def _readings(client: httpx.Client, base: httpx.Client, pages: Mapping[str, str]) -> dict[str, list[float]]:
    """Return the times of each page in ms, by its kind; those of the constant route by the empty text."""
    found: dict[str, list[float]] = {"": [], **{name: [] for name in pages}}
    for number in range(READINGS + 1):
        for name, times in found.items():
            asked = base if not name else client
            began = time.perf_counter()
            asked.get(pages.get(name, "/"), headers={"Accept": "text/html"}).raise_for_status()
            if number:  # the first reading fills caches
                times.append((time.perf_counter() - began) * 1000)
    return found
