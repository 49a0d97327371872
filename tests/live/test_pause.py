"""A deployment loses nothing: pause, stop, start and resume with matches in progress."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.live.league import LiveLeague, play_out
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live


@pytest.fixture
def own_service(live_service: Callable[..., LiveService]) -> LiveService:
    return live_service(settings={"KOZYR_TICK_MS": "20", "KOZYR_APPENDFSYNC": "always"})


def clocks(league: LiveLeague, match: str) -> dict[str, Any]:
    """Return the fields of a match that the passing of time could change."""
    seen = league.get(f"/v1/matches/{match}")
    return {name: seen[name] for name in ("now", "turn", "deadline", "clocks", "status", "scores")}


@pytest.mark.ci
def test_a_restart_of_everything_in_a_pause_loses_no_time_and_no_move(own_service: LiveService) -> None:
    service, league = own_service, LiveLeague(own_service)
    bots = [league.bot("ann"), league.bot("ben")]
    clock = {"move_ms": 60_000, "bank_ms": 0, "grace_ms": 0, "strikes": 1}
    matches = [league.match([bots[n % 2], bots[1 - n % 2]], clock=clock) for n in range(2)]
    for bot in bots:
        league.get("/v1/turns", bot.token)
    eventually(lambda: all(clocks(league, match)["status"] == "running" for match in matches), "they run")
    result = service.kozyr("pause", "--reason", "a new version")
    assert (result.returncode, result.stdout) == (0, "the service is paused\n"), result.stderr
    before = [clocks(league, match) for match in matches]
    answer = league.get("/v1/turns?wait=30", bots[0].token)
    assert answer["service"] == "paused"
    for name in ("worker", "clock", "api"):
        service.terminate(name)
    service.kill("redis")
    for name in ("redis", "api", "clock", "worker"):
        service.start(name)
    eventually(lambda: league.http.get("/readyz").json()["service"] == "paused", "it is still paused")
    assert [clocks(league, match) for match in matches] == before
    assert service.kozyr("resume").returncode == 0
    play_out(service, bots, matches)
    for match in matches:
        record = league.record(match)
        assert record["ending"] == "rules"
        assert not [move for move in record["moves"] if "by" in move]
    what = [json.loads(line)["action"] for line in service.kozyr("audit").stdout.splitlines()]
    assert what == ["resume", "pause"]


@pytest.mark.ci
def test_a_drain_ends_when_no_match_is_running(own_service: LiveService) -> None:
    service, league = own_service, LiveLeague(own_service)
    bot = league.bot("ann")
    match = league.match([bot, "house/random"])
    league.get("/v1/turns?wait=5", bot.token)
    result = service.kozyr("drain", "--wait", "--within", "0")
    last = result.stdout.splitlines()[-1]
    assert (result.returncode, last) == (1, "matches: 1 running, 0 waiting for their bots")
    refused = league.http.post(
        "/v1/matches",
        json={"game": "durak", "seats": [bot.name, "house/random"]},
        headers={"Authorization": f"Bearer {bot.token}"},
    )
    assert (refused.status_code, refused.json()["code"]) == (503, "service_draining")
    league.post(f"/v1/matches/{match}/resign", None, bot.token)
    result = service.kozyr("drain", "--wait")
    last = result.stdout.splitlines()[-1]
    assert (result.returncode, last) == (0, "matches: 0 running, 0 waiting for their bots")
