"""`/metrics` of a service with several API processes."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.live.league import LiveLeague
from tests.support.live import LiveService
from tests.support.ports import free_port
from tests.support.waiting import eventually

pytestmark = pytest.mark.live


def sample(service: LiveService, name: str) -> float:
    """Return the sample with this full name."""
    text = service.metrics()
    assert all('instance="' in line for line in text.splitlines() if not line.startswith("#"))
    unlabelled = re.sub(r',?instance="[^"]*"', "", text).replace("{,", "{").replace("{}", "")
    found = re.search(rf"^{re.escape(name)} (\S+)$", unlabelled, re.MULTILINE)
    return float(found[1]) if found else 0.0


@pytest.mark.ci
def test_every_process_reports_the_metrics_of_all_including_replaced_ones(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(("redis", "api"), settings={"KOZYR_API_WORKERS": "2"})
    games = 'kozyr_requests_total{endpoint="games.list_games",status="200"}'
    for _ in range(30):
        with service.http() as client:
            assert client.get("/v1/games").is_success
    assert [sample(service, games) for _ in range(10)] == [30.0] * 10
    victim = service.kill_one_api_worker()
    eventually(lambda: victim not in service.api_workers() and len(service.api_workers()) == 2)
    assert sample(service, games) == 30.0

    league = LiveLeague(service)
    bot = league.bot("patient")
    with ThreadPoolExecutor(4) as pool:
        polls = [pool.submit(poll, service, bot.token) for _ in range(4)]
        eventually(lambda: [sample(service, "kozyr_waiting_polls") for _ in range(5)] == [4.0] * 5)
        league.match([bot, "house/random"])
        assert [status.result(60) for status in polls] == [200] * 4
    eventually(lambda: [sample(service, "kozyr_waiting_polls") for _ in range(5)] == [0.0] * 5)


@pytest.mark.ci
def test_an_unwritable_folder_does_not_stop_the_service(
    live_service: Callable[..., LiveService], tmp_path: Path
) -> None:
    """This is the case in a hardened systemd unit, where settings provide all persistent values."""
    redis = live_service(("redis",))
    settings = {"KOZYR_VAR": "/proc/kozyr", "KOZYR_SIGNING_KEY": "5a" * 32}
    with LiveService(tmp_path / "api", ("api",), settings=settings, redis_url=redis.redis_url) as service:
        assert sample(service, "kozyr_waiting_polls") == 0.0
        assert "will show one worker only" in service.log("api")


def poll(service: LiveService, token: str) -> int:
    with service.http(headers={"Authorization": f"Bearer {token}"}) as client:
        return client.get("/v1/turns", params={"wait": 50}).status_code


@pytest.mark.ci
def test_the_metrics_have_a_port_of_their_own(live_service: Callable[..., LiveService]) -> None:
    service = live_service(("redis", "api"))
    assert sample(service, "kozyr_ready") in (0.0, 1.0)
    with service.http() as client:
        assert client.get("/metrics").status_code == 404
    other = f"http://127.0.0.1:{service.metrics_port}/v1/games"
    assert httpx.get(other, timeout=60, trust_env=False).status_code == 404, "the port has nothing else"
    taken = service.kozyr("api", KOZYR_PORT=str(free_port()))
    assert taken.returncode != 0
    assert f"can't listen on KOZYR_METRICS_PORT={service.metrics_port}" in taken.stderr
