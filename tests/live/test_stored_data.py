"""This release with data in a known format, and in an unknown one."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.storage.redis_data_version import KEY, MAJOR
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

REFUSED = f"have format 2.0, and this release reads {MAJOR}.x"


def test_every_process_refuses_data_of_a_newer_major_version(tmp_path: Path) -> None:
    with LiveService(tmp_path, ["redis"]) as service:
        with service.redis() as redis:
            redis.set(KEY, "2.0")
        for command in ("api", "clock", "worker", "audit", "data", "up"):
            done = service.kozyr(command)
            assert (done.returncode, done.stderr.count(REFUSED)) == (2, 1), (command, done.stderr)
            assert "Traceback" not in done.stderr
        with service.redis() as redis:
            assert redis.get(KEY) == b"2.0"
        service.terminate("redis")
        done = service.kozyr("up", "--no-demo", KOZYR_REDIS_URL=None)
        assert (done.returncode, done.stderr.count(REFUSED)) == (2, 1), done.stderr


def test_a_running_api_exits_when_redis_returns_with_newer_data(tmp_path: Path) -> None:
    with LiveService(tmp_path, ["redis", "api"]) as service:
        with service.redis() as redis:
            eventually(lambda: redis.client_list(_type="pubsub"), "the API listens")
            redis.set(KEY, "2.0")
            redis.client_kill_filter(_type="pubsub")
        service.wait_for_end("api", within=30)
        assert REFUSED in service.log("api")
