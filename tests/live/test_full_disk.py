"""The service keeps answering when it cannot write its logs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.live import LiveService

pytestmark = pytest.mark.live


def test_requests_are_answered_while_the_log_is_on_a_full_disk(
    live_service: Callable[..., LiveService],
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    api = ["sh", "-c", f"exec {sys.executable} -m kozyr api 2>/dev/full >/dev/full"]
    service = live_service(["redis", "api"], settings={"KOZYR_LOG_LEVEL": "debug"}, commands={"api": api})
    with service.http() as client:
        worker = service.api_workers()
        made = client.post("/v1/owners", json={"name": "unlogged"})
        assert made.status_code == 201, made.text
        assert client.get("/v1/matches").status_code == 200
        assert client.get("/v1/nothing").status_code == 404
        assert client.post("/v1/owners", content=b"{").status_code in (400, 415)
    assert service.api_workers() == worker
