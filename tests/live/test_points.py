"""A move is made once even if a process is killed at any point of it, and a repeated move gets its result.

The API worker or Redis ends before the move, between read and commit, between commit and response, or after the
response. The deadline loop ends before or after the commit of a safe move. A process of the queue ends between claim,
creation and answer of a match.
"""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.law import replay
from tests.live.league import LiveBot, LiveLeague
from tests.live.soak_bots import JournalLine
from tests.support import dying
from tests.support.dying import KillPoint
from tests.support.live import ALL, LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveLeague]:
    commands = {name: dying.command_of(name) for name in ALL if name != "redis"}
    settings = {"KOZYR_APPENDFSYNC": "always", "KOZYR_TICK_MS": "20", "KOZYR_LOG_LEVEL": "warning"}
    folder: Path = tmp_path_factory.mktemp("points")
    with LiveService(folder, settings=settings, commands=commands) as service:
        yield LiveLeague(service)


@pytest.fixture
def bot(league: LiveLeague, request: pytest.FixtureRequest) -> LiveBot:
    """Create a bot for one test."""
    return league.bot(f"b{abs(hash(request.node.name)):x}"[:20])


def first_turn(league: LiveLeague, bot: LiveBot) -> dict[str, Any]:
    """Return the bot's first turn in a match against a house bot."""
    league.match(
        [bot, "house/random"], clock={"move_ms": 3_600_000, "bank_ms": 0, "grace_ms": 0, "strikes": 3}
    )
    (turn,) = league.get("/v1/turns?wait=10", bot.token)["turns"]
    found: dict[str, Any] = turn
    return found


def send_once(service: LiveService, bot: LiveBot, path: str, body: Any) -> tuple[int, Any]:
    """Return the status and the JSON of the response, or (0, None) without one."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)) as connection:
        return JournalLine.once(connection, bot.token, "POST", path, body)


@pytest.mark.parametrize("victim", ["api", "redis"])
@pytest.mark.parametrize("point", dying.OF_MOVES)
def test_a_move_is_made_once_wherever_a_process_is_killed(
    league: LiveLeague, bot: LiveBot, point: KillPoint, victim: str
) -> None:
    service, turn = league.service, first_turn(league, bot)
    body = {"turn": turn["turn"], "move": turn["observation"]["legal_moves"][0]}
    path = f"/v1/matches/{turn['match']}/moves"
    dying.arm(service.var, point, service.pid("redis") if victim == "redis" else None)
    try:
        status, payload = send_once(service, bot, path, body)
    except (OSError, http.client.HTTPException):
        status, payload = 0, None
    eventually(lambda: not dying.armed(service.var, point), "the point is reached")
    if victim == "redis":
        service.wait_for_end("redis", 10)
        service.start("redis")
    status_again, again = JournalLine(service.url, bot.token, threading.Event()).ask("POST", path, body)
    assert status_again == 200
    assert again["replayed"] is (point in (KillPoint.COMMITTED, KillPoint.ANSWERED)), (
        "made if it was committed"
    )
    if point is KillPoint.ANSWERED:
        assert (status, payload["replayed"]) == (200, False)
    if victim == "api" and point is not KillPoint.ANSWERED:
        assert status == 0, "a killed process cannot respond"
    assert (again["turn"], again["move"]) == (body["turn"], body["move"])
    league.post(f"/v1/matches/{turn['match']}/resign", None, bot.token)
    there = [each for each in replay(league.record(turn["match"])) if each.seat == turn["seat"]]
    assert [(each.turn, each.move, each.by) for each in there] == [(body["turn"], body["move"], None)]


@pytest.mark.parametrize("point", [KillPoint.INSIDE, KillPoint.COMMITTED])
def test_a_safe_move_is_made_once_wherever_the_deadline_loop_is_killed(
    league: LiveLeague, bot: LiveBot, point: KillPoint
) -> None:
    service = league.service
    match = league.match(
        [bot, "house/random"], clock={"move_ms": 200, "bank_ms": 0, "grace_ms": 0, "strikes": 1000}
    )
    (first,) = league.get("/v1/turns?wait=10", bot.token)["turns"]
    dying.arm(service.var, point)
    service.wait_for_end("clock", 20)
    before = league.get(f"/v1/matches/{match}")["turn"]
    service.start("clock")
    eventually(lambda: league.get(f"/v1/matches/{match}")["turn"] != before, "the referee plays on")
    league.post(f"/v1/matches/{match}/resign", None, bot.token)
    made = [each for each in replay(league.record(match)) if each.seat == first["seat"]]
    assert {each.by for each in made} == {"timeout"}
    assert len({each.turn for each in made}) == len(made) > 1


@pytest.mark.parametrize("victim", ["api", "redis"])
@pytest.mark.parametrize("point", dying.OF_QUEUES)
def test_two_bots_in_the_queue_get_one_match_wherever_a_process_is_killed(
    league: LiveLeague, point: KillPoint, victim: str
) -> None:
    service = league.service
    one, two = (league.bot(f"{name}-{point}-{victim}") for name in ("one", "two"))
    wish = {"game": "durak", "rating_band": None}
    league.post("/v1/queue", wish, one.token)
    dying.arm(service.var, point, service.pid("redis") if victim == "redis" else None)
    with contextlib.suppress(OSError, http.client.HTTPException):
        send_once(service, two, "/v1/queue", wish)
    eventually(lambda: not dying.armed(service.var, point), "the point is reached")
    if victim == "redis":
        service.wait_for_end("redis", 10)
        service.start("redis")

    def entries() -> list[Any]:
        lines = [JournalLine(service.url, bot.token, threading.Event()) for bot in (one, two)]
        return [line.ask("GET", "/v1/queue")[1] for line in lines]

    eventually(lambda: all(entry["match"] for entry in entries()), "both bots have a match")
    matches = {entry["match"] for entry in entries()}
    assert len(matches) == 1
    assert service.redis().hlen("kozyr:{queue}:batches") == 0
    for bot in (one, two):
        (turn,) = league.get(f"/v1/matches?bot={bot.name}")["matches"]
        assert turn["id"] in matches
