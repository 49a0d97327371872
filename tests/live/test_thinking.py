"""House bots that think, in a ladder of real processes: by playouts, and by the clock with its lateness in /metrics."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.live.league import LiveLeague
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]


def test_a_ladder_pairs_search_by_playouts_with_search_by_the_clock(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(settings={"KOZYR_TICK_MS": "20"})
    league = LiveLeague(service)
    body = {"name": "Thinkers", "game": "durak", "seats": 2, "check": False, "state": "running"}
    ladder = f"/v1/ladders/{league.post('/v1/ladders', body, league.token)['id']}"
    for bot in ("house/search:3", "house/search-100ms"):
        league.post(f"{ladder}/entries", {"bot": bot}, league.token)
    league.post(f"{ladder}/rounds", {}, league.token)
    eventually(lambda: league.get(f"{ladder}/rounds")["rounds"][0]["state"] == "done")
    assert {row["bot"] for row in league.get(f"{ladder}/standings")["standings"]} == {
        "house/search:3",
        "house/search-100ms",
    }
    assert league.get("/v1/matches?bot=house/search:3")["matches"]
    assert league.get("/v1/bots/house/search:3")["house"]
    eventually(lambda: thought(service), "the worker reports the thinking of its bots")


def thought(service: LiveService) -> bool:
    """Return whether only the bot that thinks by the clock has reported, and a plausible time."""
    text = service.metrics()
    counts = {
        (name, bot): float(value)
        for name, bot, value in re.findall(
            r'^kozyr_thinking_(\w+)_total\{bot="([^"]+)"[^}]*\} (\S+)$', text, re.MULTILINE
        )
    }
    assert {bot for _, bot in counts} <= {"search-100ms"}
    moves = counts.get(("moves", "search-100ms"), 0)
    late = counts.get(("lateness_seconds", "search-100ms"), -1)
    return moves > 0 and 0 <= late <= counts["seconds", "search-100ms"]
