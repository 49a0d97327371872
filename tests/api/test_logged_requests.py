"""Which requests are logged: all but successful ones of probes."""

from __future__ import annotations

import pytest
import structlog

from tests.api.conftest import ApiWorld


@pytest.mark.parametrize(
    ("path", "status", "is_logged"),
    [("/v1/games", 200, True), ("/healthz", 200, False), ("/v1/nothing", 404, True)],
)
def test_all_requests_but_successful_probes_are_logged(
    world: ApiWorld, path: str, status: int, is_logged: bool
) -> None:
    with structlog.testing.capture_logs() as lines:
        answer = world.app.test_client().get(path)
    assert answer.status_code == status
    assert bool(lines) == is_logged
    answer.close()
