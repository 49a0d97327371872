"""A long seeded run: many matches of all games, and processes killed at random all the while."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine.registry import GAMES
from tests.live.league import League, players
from tests.live.test_crashes import check
from tests.support.live import LiveService
from tests.support.waiting import eventually

VICTIMS = ("api", "clock", "worker", "redis", "gunicorn")


def soak(service: LiveService, seed: int, rounds: int, at_once: int) -> None:
    """`rounds` times: `at_once` matches of a random game between two bots, with a kill for every few moves."""
    rng = random.Random(seed)
    league = League(service)
    bots = [league.bot("ann"), league.bot("ben")]
    kills = 0
    for _ in range(rounds):
        game = rng.choice([name for name, cls in GAMES.items() if 2 in cls.seat_counts])
        options = {"turn_limit": 200}
        matches = [
            league.match([bots[n % 2], bots[1 - n % 2]], game=game, options=options) for n in range(at_once)
        ]
        with players(service, bots, matches) as playing:
            for _ in range(2):
                already = len(playing[0].sent) + rng.randrange(3, 30)
                eventually(lambda: len(playing[0].sent) >= already or done(league, matches), 120, "they play")  # noqa: B023
                kill(service, rng.choice(VICTIMS))
                kills += 1
            for player in playing:
                player.join(180)
        check(league, matches, playing)
    assert kills == 2 * rounds


def done(league: League, matches: list[str]) -> bool:
    answers = [league.http.get(f"/v1/matches/{match}") for match in matches]
    return all(answer.is_success and answer.json()["status"] == "finished" for answer in answers)


def kill(service: LiveService, victim: str) -> None:
    if victim == "gunicorn":
        service.kill_one_api_worker()
    else:
        service.kill(victim)
        service.start(victim)


@pytest.mark.live
def test_a_short_run_with_random_kills_loses_nothing(live_service: Callable[..., LiveService]) -> None:
    service = live_service(settings={"KOZYR_APPENDFSYNC": "always", "KOZYR_TICK_MS": "20"})
    soak(service, seed=1, rounds=2, at_once=4)


@pytest.mark.soak
def test_three_hundred_matches_with_random_kills_lose_nothing(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(settings={"KOZYR_APPENDFSYNC": "always", "KOZYR_TICK_MS": "20"})
    soak(service, seed=2, rounds=60, at_once=5)
