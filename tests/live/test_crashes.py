"""After SIGKILL in mid-match no acknowledged move is lost, and every match ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.live.law import replay
from tests.live.league import LiveBot, LiveLeague, LivePlayer
from tests.support.live import LiveService

pytestmark = [pytest.mark.ci, pytest.mark.live]

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
