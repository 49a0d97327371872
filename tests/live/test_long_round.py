"""A round of many matches among house bots, created and played by the real processes: none of them grows with it.

`KOZYR_ROUND` is the number of matches of the long run, 10 000 where nothing is said; its figures are printed (`-s`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.league import LiveLeague
from tests.support.live import LiveService

pytestmark = pytest.mark.live

PROCESSES = ("worker", "clock", "api")
GROWS_MIB = 8.0
"""What a process may grow by between a fifth of the way and its end: heaps breathe, and a leak of 1 KiB a match is as
much in 8 000 matches."""
WITHIN_S = 3600.0


def resident(pid: int) -> float:
    """MiB of a process and its children that lie in memory."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    (line,) = (
        each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024 + sum(resident(int(child)) for child in children)


def play(service: LiveService, league: LiveLeague, matches: int) -> list[dict[str, float]]:
    """Plays a round of so many matches; returns MiB by process, and how many were over, all along."""
    body = {"name": "Long", "game": "durak", "seats": 2, "format": "versus", "decks": "rotated"}
    parameters = {"batch": matches // 2, "most": matches // 2}
    at = f"/v1/ladders/{league.post('/v1/ladders', {**body, 'parameters': parameters}, league.token)['id']}"
    for bot in ("house/greedy", "house/random"):
        league.post(f"{at}/entries", {"bot": bot}, league.token)
    number = league.post(f"{at}/rounds", {}, league.token)["number"]
    found: list[dict[str, float]] = []
    until = time.monotonic() + WITHIN_S
    while not found or found[-1]["finished"] < matches:
        assert time.monotonic() < until, f"{found[-1]['finished']:.0f} matches are over, and time is up"
        over = league.get(f"{at}/rounds/{number}")["finished"]
        found.append({"finished": over, **{name: resident(service.pid(name)) for name in PROCESSES}})
        time.sleep(0.5)
    standings = league.get(f"{at}/standings")["standings"]
    assert [each["matches"] for each in standings] == [matches, matches]
    return found


@pytest.mark.soak
def test_no_process_grows_with_the_matches_of_a_round(live_service: Callable[..., LiveService]) -> None:
    matches = int(os.environ.get("KOZYR_ROUND", "10000"))
    service = live_service()
    league = LiveLeague(service)
    play(service, league, 200)
    with service.redis() as redis:
        before = redis.info("memory")["used_memory"]
        began = time.monotonic()
        found = play(service, league, matches)
        seconds = time.monotonic() - began
        bytes_a_match = (redis.info("memory")["used_memory"] - before) / matches
    samples = [found[int(share * (len(found) - 1))] for share in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    print(f"\n{matches} matches in {seconds:.0f} s; Redis keeps {bytes_a_match:.0f} bytes of each")
    for sample in samples:
        print("  ".join(f"{name} {value:.1f}" for name, value in sample.items()))
    for name in PROCESSES:
        grown = samples[-1][name] - samples[1][name]
        assert grown < GROWS_MIB, f"{name} has grown by {grown:.1f} MiB"
