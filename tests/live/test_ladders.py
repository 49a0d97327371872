"""Scheduled ladders at a service of real processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kozyr_client import Client, Turn
from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with LiveService(tmp_path_factory.mktemp("rounds"), settings={"KOZYR_TICK_MS": "20"}) as service:
        yield service


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service)


def made(league: LiveLeague, *bots: str, **more: Any) -> str:
    """Create a ladder and return its address."""
    body = {"name": "A ladder", "game": "durak", "seats": 2, "check": False, "state": "running", **more}
    address = f"/v1/ladders/{league.post('/v1/ladders', body, league.token)['id']}"
    for bot in bots:
        league.post(f"{address}/entries", {"bot": bot}, league.token)
    return address


def change(league: LiveLeague, address: str, **body: Any) -> Any:
    answer = league.http.patch(address, json=body, headers={"Authorization": f"Bearer {league.token}"})
    assert answer.is_success, answer.text
    return answer.json()


def last_round(league: LiveLeague, address: str) -> int:
    rounds = league.get(f"{address}/rounds?limit=1")["rounds"]
    return int(rounds[0]["number"]) if rounds else 0


@contextmanager
def playing(service: LiveService, *bots: LiveBot) -> Iterator[None]:
    """Keep these bots online and let them play every turn."""

    def first(turn: Turn) -> str:
        return turn.legal_moves[0]

    clients = [Client(service.url, bot.token) for bot in bots]
    for client in clients:
        threading.Thread(target=client.play, args=(first,), daemon=True).start()
    try:
        yield
    finally:
        for client in clients:
            client.stop()


@pytest.mark.soak
def test_rounds_continue_after_the_clock_and_the_worker_are_killed(
    service: LiveService, league: LiveLeague
) -> None:
    address = made(league, "house/greedy", "house/random", schedule="continuous")
    eventually(lambda: last_round(league, address) >= 3, "rounds follow one another")
    for part in ("clock", "worker"):
        service.kill(part)
        service.start(part)
    before = last_round(league, address)
    eventually(lambda: last_round(league, address) >= before + 3, "they do after a crash too")
    closed = change(league, address, state="closing")
    assert closed["state"] in ("closing", "closed")
    eventually(lambda: league.get(address)["state"] == "closed", "the ladder closes with its last round")
    rounds = league.get(f"{address}/rounds?limit=200")["rounds"]
    assert {each["state"] for each in rounds} == {"done"}
    matches = sum(line["matches"] for line in league.get(f"{address}/standings")["standings"])
    assert matches == sum(2 * each["played"] for each in rounds), "no match is lost or counted twice"


@pytest.mark.ci
def test_an_arena_plays_with_the_bots_online_across_seasons(service: LiveService, league: LiveLeague) -> None:
    others = [LiveLeague(service, name) for name in ("anna", "boris", "clara")]
    here, there, away = (other.bot("bot") for other in others)
    address = made(league, format="arena", schedule="continuous")
    for other, bot in zip(others, (here, there, away), strict=True):
        other.post(f"{address}/entries", {"bot": bot.name}, other.token)
    eventually(
        lambda: league.get(f"{address}/schedule")["waits_for"] == "entries",
        "the ladder has what it needs but bots that are online",
    )
    with playing(service, here, there):
        eventually(lambda: last_round(league, address) >= 2, "who is online is paired, again and again")
        season = league.post(f"{address}/seasons", None, league.token)
        assert season["number"] == 2
        first = season["first_round"]
        eventually(lambda: last_round(league, address) > first, "the next season is played")
        change(league, address, state="closing")
        eventually(lambda: league.get(address)["state"] == "closed", "what runs is played out")
    assert others[0].get(f"/v1/bots/{here.name}", others[0].token)["online"] is True
    assert others[2].get(f"/v1/bots/{away.name}", others[2].token)["online"] is False
    past = league.get(f"{address}/seasons/1")
    assert past["complete"] is True
    assert past["winners"]
    for season, rounds in ((1, past["last_round"]), (2, last_round(league, address) - past["last_round"])):
        lines = league.get(f"{address}/standings?season={season}")["standings"]
        assert {line["bot"] for line in lines if line["matches"]} == {here.name, there.name}
        assert {line["matches"] for line in lines if line["matches"]} == {2 * rounds}
