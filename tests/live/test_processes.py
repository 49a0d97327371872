"""Processes that freeze or die cost nobody time, and `/readyz` and `/metrics` report them."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from referee.service.processes import PROCESSES_KEY
from tests.live.law import replay
from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

CLOCK = {"move_ms": 1_000, "bank_ms": 0, "grace_ms": 500, "strikes": 3}
UP_MS = 2_000
"""The time after which a turn has certainly timed out, in seconds."""
ABANDONED = 1_000
PATIENCE_S = 60.0


@contextlib.contextmanager
def frozen(*pids: int) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def redis_ms(service: LiveService) -> int:
    seconds, micros = service.redis().time()
    return seconds * 1000 + micros // 1000


def let_pass(service: LiveService, ms: int) -> None:
    """Wait until Redis's clock has advanced by this much. The outage has to outlast the time of a turn."""
    until = redis_ms(service) + ms
    eventually(lambda: redis_ms(service) >= until, "time passes")


def credited(service: LiveService) -> int:
    """Return the time credited to all clocks so far."""
    return int(service.redis().hget("kozyr:{00}:clock", "credited") or 0)  # type: ignore[arg-type]  # not awaited


def running(league: LiveLeague) -> tuple[str, list[LiveBot]]:
    """Create a match that waits for its first move, and its bots."""
    bots = [league.bot("ann"), league.bot("ben")]
    match = league.match(bots, clock=CLOCK)
    for bot in bots:
        league.get("/v1/turns", bot.token)
    return match, bots


def asked(league: LiveLeague, match: str, bots: list[LiveBot]) -> tuple[LiveBot, dict[str, Any]]:
    """Return the bot to move in the match, and its turn."""
    for bot in bots:
        for turn in league.get("/v1/turns", bot.token)["turns"]:
            assert turn["match"] == match
            return bot, turn
    raise AssertionError("no bot has a turn")


def move(league: LiveLeague, bot: LiveBot, turn: dict[str, Any]) -> None:
    """Make the first legal move, and assert that it is no replay."""
    body = {"turn": turn["turn"], "move": turn["observation"]["legal_moves"][0]}
    made = league.post(f"/v1/matches/{turn['match']}/moves", body, bot.token)
    assert made["replayed"] is False


def test_a_frozen_worker_among_several_stops_the_clocks(live_service: Callable[..., LiveService]) -> None:
    service = two_workers(live_service, PATIENCE_S)
    with frozen(service.api_workers()[0]):
        league = LiveLeague(service)
        match, bots = running(league)
        let_pass(service, UP_MS)
        bot, turn = asked(league, match, bots)
        assert turn["turn"] == 1, "no turn timed out while bots may have been waiting at the frozen worker"
        move(league, bot, turn)


def test_clocks_run_again_when_gunicorn_has_killed_a_frozen_worker(
    live_service: Callable[..., LiveService],
) -> None:
    service = two_workers(live_service, 5)
    victim = service.api_workers()[0]
    with frozen(victim):
        league = LiveLeague(service)
        match, _ = running(league)
        eventually(lambda: victim not in service.api_workers(), "gunicorn kills it")
        eventually(lambda: turns_made(league, match) > 1, "clocks run again: the hold is bounded")


def two_workers(live_service: Callable[..., LiveService], killed_after_s: float) -> LiveService:
    """Start a service whose two API workers serve. gunicorn kills one that is frozen for this many seconds."""
    settings = {"KOZYR_API_WORKERS": "2", "KOZYR_WORKER_TIMEOUT_S": f"{killed_after_s:.0f}"}
    service = live_service(settings=settings)
    eventually(lambda: len(serving(service)) == 2, "both workers serve")
    return service


def turns_made(league: LiveLeague, match: str) -> int:
    """Return the number of turns answered, including safe moves."""
    seen = league.get(f"/v1/matches/{match}")
    return int(seen["turn"] or 1 << 20) - 1


def serving(service: LiveService) -> list[str]:
    """Return the API processes that have begun to serve. One that only sends heartbeats stops no clock."""
    heartbeats: dict[bytes, bytes] = service.redis().hgetall(PROCESSES_KEY)  # type: ignore[assignment]  # not awaited
    return [
        name.decode()
        for name, value in heartbeats.items()
        if name.startswith(b"api-") and value.split()[1] != b"-"
    ]


def test_a_killed_worker_among_several_gives_its_bots_time_to_come_back(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(settings={"KOZYR_API_WORKERS": "2"})
    eventually(lambda: len(serving(service)) == 2, "both workers serve")
    running(LiveLeague(service))
    before = credited(service)
    service.kill_one_api_worker()
    eventually(lambda: credited(service) - before >= 1_000, "a second was given back")


def test_a_bot_that_cuts_its_own_connections_gets_no_time(live_service: Callable[..., LiveService]) -> None:
    service = live_service(("redis", "api"))
    league = LiveLeague(service)
    bot = league.bot("ann")
    request = f"GET /v1/turns?wait=30 HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {bot.token}\r\n\r\n"
    before = heartbeat_of_clocks(service)
    for _ in range(50):
        hang_up(service, request.encode())
    eventually(lambda: heartbeat_of_clocks(service) > before, "clocks run")


def heartbeat_of_clocks(service: LiveService) -> int:
    return int(service.redis().hget("kozyr:{00}:clock", "beat") or 0)  # type: ignore[arg-type]  # not awaited


def hang_up(service: LiveService, request: bytes) -> None:
    """Send a request and close the connection."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_S) as client:
        client.sendall(request)


def test_an_outage_of_all_workers_with_abandoned_requests_costs_no_move(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(settings={"KOZYR_WORKER_TIMEOUT_S": "60", "KOZYR_RATE_POLLS": "0"})
    league = LiveLeague(service)
    (worker,) = service.api_workers()
    _, bots = running(league)
    os.kill(worker, signal.SIGSTOP)
    request = (
        f"GET /v1/turns HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {bots[0].token}\r\n"
        "Connection: close\r\n\r\n"
    )
    for _ in range(ABANDONED):
        hang_up(service, request.encode())
    with ThreadPoolExecutor(2) as pool, service.http() as one, service.http() as other:
        polls = [
            pool.submit(client.get, "/v1/turns", headers={"Authorization": f"Bearer {bot.token}"})
            for client, bot in zip((one, other), bots, strict=True)
        ]
        let_pass(service, UP_MS)
        os.kill(worker, signal.SIGKILL)
        answers = [poll.result(PATIENCE_S).json()["turns"] for poll in polls]
        (turn,) = [turn for turns in answers for turn in turns]
        assert turn["turn"] == 1
        move(league, bots[0] if answers[0] else bots[1], turn)
    dropped = re.search(r"^kozyr_abandoned_requests_total\S* (\S+)$", service.metrics(), re.MULTILINE)
    assert dropped is not None
    assert float(dropped[1]) >= ABANDONED * 0.9, "all but the requests that the dead worker had accepted"


def test_every_house_match_ends_after_a_worker_is_killed(live_service: Callable[..., LiveService]) -> None:
    service = live_service(settings={"KOZYR_TICK_MS": "20"})
    league = LiveLeague(service)
    matches = [league.match(["house/random", "house/greedy"], deals=300) for _ in range(4)]
    eventually(lambda: (league.get(f"/v1/matches/{matches[0]}")["turn"] or 0) > 100, "the house bots play")
    service.kill("worker")
    service.start("worker")
    for match in matches:
        eventually(lambda match=match: league.get(f"/v1/matches/{match}")["status"] == "finished")
        replay(league.record(match))
