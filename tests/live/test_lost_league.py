"""A Redis that was flushed or replaced begins no new league beside the folder of the old one."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable

import httpx
import pytest

from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

READ = ("/v1/ratings?preset=durak/2", "/v1/matches", "/v1/records", "/v1/ladders")


def readyz(service: LiveService) -> httpx.Response:
    return httpx.get(service.url + "/readyz", timeout=60, trust_env=False)


def answers(service: LiveService) -> bool:
    try:
        return bool(readyz(service).status_code)
    except httpx.HTTPError:
        return False


def is_lost(service: LiveService) -> bool:
    answer = readyz(service)
    return answer.status_code == 503 and any("holds no league" in why for why in answer.json()["problems"])


def refuses(service: LiveService, path: str, json: dict[str, str] | None = None) -> bool:
    """Return whether a route refuses to use a store that has lost its data."""
    method = "GET" if json is None else "POST"
    answer = httpx.request(method, service.url + path, json=json, timeout=60, trust_env=False)
    refused = answer.status_code == 503 and answer.json()["code"] == "store_unavailable"
    return refused and "the operator must restore them" in answer.json()["detail"]


def test_a_flush_under_a_running_service_shows_in_readyz_and_stops_it(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(["redis", "api"])
    eventually((service.var / "league").exists)
    with contextlib.closing(service.redis()) as redis:
        league = redis.get("kozyr:league")
        redis.flushall()
        eventually(lambda: is_lost(service))
        eventually(lambda: all(refuses(service, path) for path in READ * 4))
        before = set(redis.keys())
        assert refuses(service, "/v1/owners", json={"name": "new"})
        assert set(redis.keys()) <= before, "nothing is written into the data of somebody else"
        assert httpx.get(service.url + "/healthz", timeout=60, trust_env=False).status_code == 200
        service.restart("redis")
        eventually(lambda: is_lost(service))
        redis.set("kozyr:league", league or b"")
        eventually(lambda: not is_lost(service))


def test_a_service_refuses_an_empty_redis_beside_the_folder_of_a_league(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(["redis", "api"])
    eventually((service.var / "league").exists)
    service.terminate("api")
    service.terminate("redis")
    shutil.rmtree(service.var / "redis")
    service.start("redis")
    service.start("api", wait=False)
    eventually(lambda: answers(service) and is_lost(service))
    service.terminate("api")
    for name in ("clock", "worker"):
        service.start(name, wait=False)
        service.wait_for_end(name, within=60)
        assert "this Redis holds no league" in service.log(name).splitlines()[-1]
    service.terminate("redis")
    ended = service.kozyr("up", "--no-demo", KOZYR_REDIS_URL=None)
    assert (ended.returncode, "this Redis holds no league" in ended.stderr) == (2, True), ended.stderr
