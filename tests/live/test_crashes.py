"""After SIGKILL in mid-match no acknowledged move is lost, and every match ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.live.law import replay
from tests.live.league import LiveBot, LiveLeague, LivePlayer, players
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

MATCHES = 6


@pytest.fixture
def service(live_service: Callable[..., LiveService]) -> Iterator[LiveService]:
    return live_service(settings={"KOZYR_APPENDFSYNC": "always", "KOZYR_TICK_MS": "20"})


@pytest.fixture
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service)


def check(league: LiveLeague, matches: list[str], playing: list[LivePlayer]) -> None:
    """Assert that every record replays and holds exactly the moves that the bots chose, each once."""
    for match in matches:
        record = league.record(match)
        assert record["ending"] == "rules", record["ending"]
        replay(record)
        for player in playing:
            seats = [number for number, seat in enumerate(record["seats"]) if seat["bot"] == player.bot.name]
            made = [move for move in record["moves"] if move["seat"] in seats]
            assert all("by" not in move for move in made), "the outage cost no bot a move"
            chosen: dict[Any, str] = {}
            free = count()
            for sent in player.sent:
                if sent.match == match:
                    # After a crash a turn may be open again and answered differently. The last answer counts.
                    chosen[("free", next(free)) if sent.move == "exchange" else sent.turn] = sent.move
            answers = [move["move"] for move in made if move["move"] != "exchange"]
            assert len(answers) == len([key for key in chosen if not isinstance(key, tuple)])


def two_bots(league: LiveLeague, **more: Any) -> tuple[list[LiveBot], list[str]]:
    """Start several concurrent matches of several deals between two bots."""
    bots = [league.bot("ann"), league.bot("ben")]
    return bots, [league.match([bots[n % 2], bots[1 - n % 2]], deals=2, **more) for n in range(MATCHES)]


def moves_made(league: LiveLeague, match: str) -> int:
    turn: int = league.get(f"/v1/matches/{match}")["turn"] or 0
    return turn


@pytest.mark.parametrize(
    "victim", ["api", *(pytest.param(victim, marks=pytest.mark.soak) for victim in ("clock", "redis"))]
)
@pytest.mark.ci
def test_a_process_killed_in_mid_match_loses_no_acknowledged_move(
    service: LiveService, league: LiveLeague, victim: str
) -> None:
    bots, matches = two_bots(league)
    with players(service, bots, matches) as playing:
        for already in (5, 25):
            eventually(lambda: len(playing[0].sent) > already, "the bots play")  # noqa: B023 - called at once
            service.kill(victim)
            service.start(victim)
        for player in playing:
            player.join(120)
    check(league, matches, playing)


@pytest.mark.soak
def test_a_gunicorn_worker_killed_in_mid_match_is_replaced(service: LiveService, league: LiveLeague) -> None:
    bots, matches = two_bots(league)
    with players(service, bots, matches) as playing:
        eventually(lambda: len(playing[0].sent) > 5, "the bots play")
        service.kill_one_api_worker()
        for player in playing:
            player.join(120)
    check(league, matches, playing)


def test_every_house_match_ends_after_a_worker_is_killed(service: LiveService, league: LiveLeague) -> None:
    matches = [league.match(["house/random", "house/greedy"], deals=300) for _ in range(4)]
    eventually(lambda: moves_made(league, matches[0]) > 100, "the house bots play")
    service.kill("worker")
    service.start("worker")
    for match in matches:
        eventually(
            lambda match=match: league.get(f"/v1/matches/{match}")["status"] == "finished", "the match ends"
        )
        replay(league.record(match))
