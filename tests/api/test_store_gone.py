"""While Redis is gone the API says so; when it is back, so is the API."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.app import create_app
from kozyr.embedded import EmbeddedRedis
from tests.api.conftest import World, compose
from tests.api.contract import CheckedClient
from tests.api.test_bad_input import refused


@pytest.mark.slow
def test_redis_gone_and_back(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path / "redis", appendfsync="always").start()
    try:
        services = compose(server.url, timeout=1.0)
        services.referee.store.beat()
        app = create_app(services)
        app.test_client_class = CheckedClient
        world = World(app, services, app.test_client())
        bot, turn = world.started()
        server.stop()
        move = {"turn": turn["turn"], "move": turn["observation"]["legal_moves"][0]}
        path = f"/v1/matches/{turn['match']}/moves"
        for answer in (
            bot("GET", "/v1/turns"),
            bot("POST", path, move),
            bot("POST", "/v1/turns", {}),
            world.client.get("/v1/matches"),
        ):
            problem = refused(answer, 503, "store_unavailable")
            assert problem["retryable"] is True
            assert answer.headers["Retry-After"] == "1"
        assert world.client.get("/healthz").status_code == 200
        server.start()
        services.referee.store.beat()
        assert bot("POST", path, move).json["replayed"] is False
    finally:
        server.stop()
