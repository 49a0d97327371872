"""Which requests are logged: all but the successful ones of probes and of a bot's loop."""

from __future__ import annotations

import pytest
import structlog

from tests.api.conftest import ApiWorld


@pytest.mark.parametrize(
    ("path", "status", "is_logged"),
    [("/v1/games", 200, True), ("/healthz", 200, False), ("/v1/nothing", 404, True)],
)
def test_successful_probes_are_not_logged(world: ApiWorld, path: str, status: int, is_logged: bool) -> None:
    with structlog.testing.capture_logs() as lines:
        answer = world.app.test_client().get(path)
    assert answer.status_code == status
    assert bool(lines) == is_logged
    answer.close()


def test_only_refused_requests_of_a_bots_loop_are_logged(world: ApiWorld) -> None:
    bot = world.bot()
    match = world.match(bot)["id"]
    (turn,) = bot.turns()
    with structlog.testing.capture_logs() as lines:
        assert bot("GET", "/v1/turns").status_code == 200
        move = {"match": match, "turn": turn["turn"], "move": turn["observation"]["legal_moves"][0]}
        assert bot("POST", "/v1/turns", {"moves": [move]}).status_code == 200
    assert lines == []
    with structlog.testing.capture_logs() as lines:
        assert world.client.get("/v1/turns").status_code == 401
    assert [line["status"] for line in lines] == [401]
