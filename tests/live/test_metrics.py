"""`/metrics` of a service with several API processes."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.league import League
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live


def sample(service: LiveService, name: str) -> float:
    """A sample by its whole name, asked on a connection of its own, so of whichever process takes it."""
    with service.http() as client:
        found = re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_whichever_process_is_asked_answers_for_all_and_for_those_that_were_replaced(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(("redis", "api"), settings={"KOZYR_API_WORKERS": "2"})
    games = 'kozyr_requests_total{endpoint="games.list_games",status="200"}'
    for _ in range(30):
        with service.http() as client:
            assert client.get("/v1/games").is_success
    assert [sample(service, games) for _ in range(10)] == [30.0] * 10
    victim = service.kill_one_api_worker()
    eventually(lambda: victim not in service.api_workers() and len(service.api_workers()) == 2, 30)
    assert sample(service, games) == 30.0

    league = League(service)
    bot = league.bot("patient")
    with ThreadPoolExecutor(4) as pool:
        polls = [pool.submit(poll, service, bot.token) for _ in range(4)]
        eventually(lambda: [sample(service, "kozyr_waiting_polls") for _ in range(5)] == [4.0] * 5, 30)
        league.match([bot, "house/random"])
        assert [status.result(30) for status in polls] == [200] * 4
    eventually(lambda: [sample(service, "kozyr_waiting_polls") for _ in range(5)] == [0.0] * 5, 30)


def poll(service: LiveService, token: str) -> int:
    with service.http(headers={"Authorization": f"Bearer {token}"}) as client:
        return client.get("/v1/turns", params={"wait": 50}).status_code
