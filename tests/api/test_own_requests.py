"""The status display of `kozyr up` writes no log and keeps no demonstration awake."""

from __future__ import annotations

from dataclasses import replace

import pytest
import structlog

from api.app import create_app
from api.http.own import OWN_AGENT
from tests.api.conftest import ApiWorld

OWN = {"User-Agent": OWN_AGENT}


@pytest.mark.parametrize(
    ("path", "headers", "address", "seen"),
    [
        ("/v1/games", {}, "127.0.0.1", True),
        ("/v1/games", OWN, "127.0.0.1", False),
        ("/v1/games", OWN, "192.0.2.1", True),
        ("/healthz", {}, "192.0.2.1", False),
    ],
)
def test_only_the_requests_of_others_are_looks(
    world: ApiWorld, path: str, headers: dict[str, str], address: str, seen: bool
) -> None:
    looks: list[bool] = []
    app = create_app(replace(world.services, looked_at=lambda: looks.append(True)))
    with structlog.testing.capture_logs() as lines:
        answer = app.test_client().get(path, headers=headers, environ_base={"REMOTE_ADDR": address})
    assert answer.status_code == 200
    assert (bool(looks), bool(lines)) == (seen, seen)
    answer.close()


def test_its_refused_requests_are_logged(world: ApiWorld) -> None:
    with structlog.testing.capture_logs() as lines:
        world.app.test_client().get("/v1/nothing", headers=OWN)
    assert [line["status"] for line in lines if "status" in line] == [404]
