"""Moves over real HTTP under gunicorn are made exactly once, in time, and only by their own bot."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live.league import LiveLeague
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    folder: Path = tmp_path_factory.mktemp("live")
    with LiveService(folder, settings={"KOZYR_TICK_MS": "20", "KOZYR_START_MS": "5000"}) as running:
        yield running


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service)


def turns(league: LiveLeague, token: str, wait: float = 10) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = league.get("/v1/turns", token, params={"wait": wait})["turns"]
    return found


def test_owners_soon_see_the_refusals_of_all_processes(service: LiveService, league: LiveLeague) -> None:
    bot = league.bot("refused")
    match = league.match([bot, "house/random"])
    (turn,) = turns(league, bot.token)
    headers, body = {"Authorization": f"Bearer {bot.token}"}, {"turn": turn["turn"], "move": "castle"}
    with service.http(limits=httpx.Limits(max_connections=20)) as client, ThreadPoolExecutor(20) as pool:
        path = f"/v1/matches/{match}/moves"
        asked = [pool.submit(client.post, path, json=body, headers=headers) for _ in range(40)]
        assert {each.result().status_code for each in asked} == {422}
    address = f"/v1/bots/{bot.name}/statistics"
    eventually(
        lambda: league.get(address, league.token)["refused"] == {"not_a_move": 40},
        "the owner sees all of them",
    )


def test_a_stopping_process_first_stores_its_refusals(service: LiveService, league: LiveLeague) -> None:
    bot = league.bot("stopped")
    match = league.match([bot, "house/random"])
    (turn,) = turns(league, bot.token)
    headers, body = {"Authorization": f"Bearer {bot.token}"}, {"turn": turn["turn"], "move": "castle"}
    with service.http(headers=headers) as client:
        for _ in range(5):
            assert client.post(f"/v1/matches/{match}/moves", json=body).status_code == 422
    service.terminate("api")
    service.start("api")
    with service.http(headers=headers) as client:
        statistics = client.get(f"/v1/bots/{bot.name}/statistics").json()
    assert statistics["refused"] == {"not_a_move": 5}


@pytest.mark.ci
def test_a_reload_answers_every_waiting_poll(service: LiveService, league: LiveLeague) -> None:
    bots = [league.bot(f"reload-{number}") for number in range(20)]

    def poll(token: str) -> httpx.Response:
        with service.http() as client:
            return client.get("/v1/turns", params={"wait": 50}, headers={"Authorization": f"Bearer {token}"})

    with ThreadPoolExecutor(20) as pool:
        polls = [pool.submit(poll, bot.token) for bot in bots]
        eventually(lambda: waiting(league) >= 20, "all polls wait")
        service.signal("api", signal.SIGHUP)
        answers = [poll.result(60) for poll in polls]
    assert [answer.status_code for answer in answers] == [200] * 20
    eventually(lambda: service.http().get("/readyz").is_success, "the new worker serves")


def waiting(league: LiveLeague) -> float:
    """Return the number of waiting polls from /metrics."""
    for line in league.service.metrics().splitlines():
        if line.startswith("kozyr_waiting_polls"):
            return float(line.rpartition(" ")[2])
    return 0
