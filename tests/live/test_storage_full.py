"""Near `maxmemory` running matches end, nothing new is created, and the service recovers with the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from referee.service.redis import RESERVED_BYTES, space_of
from referee.service.state import Space
from tests.live.league import LiveLeague, play_out
from tests.support.live import LiveService
from tests.support.redis_trouble import HarmedRedis, unsaved
from tests.support.waiting import eventually


@pytest.mark.live
@pytest.mark.ci
def test_near_the_limit_running_matches_end_and_nothing_new_is_created(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service()
    league = LiveLeague(service)
    bot = league.bot("one")
    table = {"game": "durak", "seats": [bot.name, "house/random"], "options": {"turn_limit": 50}}
    running = [league.match([bot, "house/random"], options={"turn_limit": 50}) for _ in range(3)]
    redis = service.redis()
    redis.config_set("maxmemory", int(1.5 * redis.info("memory")["used_memory"]))
    with service.http(headers={"Authorization": f"Bearer {bot.token}"}) as http:
        refused = http.post("/v1/matches", json=table)
        assert (refused.status_code, refused.json()["code"]) == (503, "storage_full")
        assert refused.json()["retryable"] is True
        play_out(service, [bot], running)
        for match in running:
            assert http.get(f"/v1/matches/{match}").json()["status"] == "finished"
        redis.config_set("maxmemory", 0)
        eventually(lambda: http.post("/v1/matches", json=table).status_code == 201)


@pytest.mark.parametrize(
    ("used", "most", "space"),
    [
        (900 << 20, 0, Space.AMPLE),
        (970 << 20, 1 << 30, Space.AMPLE),
        (980 << 20, 1 << 30, Space.SCARCE),
        (1000 << 20, 1 << 30, Space.LAST),
        (101 << 20, 120 << 20, Space.AMPLE),
        (105 << 20, 120 << 20, Space.SCARCE),
        (7 << 20, RESERVED_BYTES, Space.AMPLE),
        (11 << 20, RESERVED_BYTES, Space.SCARCE),
    ],
)
def test_a_part_of_the_memory_is_reserved_and_its_last_half_for_running_matches(
    used: int, most: int, space: Space
) -> None:
    text = (
        f"# Memory\r\nused_memory:{used}\r\nused_memory_peak:1\r\nmaxmemory:{most}\r\nmaxmemory_human:0B\r\n"
    )
    assert space_of(text.encode()) is space


@pytest.mark.live
@pytest.mark.ci
def test_a_redis_elsewhere_that_cannot_write_to_its_disk_shows_in_readyz(
    live_service: Callable[..., LiveService], tmp_path: Path
) -> None:
    server = HarmedRedis(tmp_path / "redis", appendfsync="no").start()
    try:
        service = live_service(["api"], redis_url=server.url)

        def warned() -> bool:
            answer = httpx.get(service.url + "/readyz", timeout=60, trust_env=False).json()
            return any("rdb_last_bgsave_status" in warning for warning in answer["warnings"])

        assert not warned()
        with unsaved(server):
            eventually(warned)
        service.terminate("api")
    finally:
        server.stop()
