"""The front answers a bot's loop as Flask does, and leaves everything else to Flask."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from tests.api.conftest import ApiWorld

ODD = [
    ("HEAD", "/v1/turns"),
    ("OPTIONS", "/v1/turns"),
    ("PUT", "/v1/turns"),
    ("POST", "/v1/turns/"),
    ("GET", "/v1/matches/00/moves"),
    ("POST", "/v1/matches//moves"),
    ("POST", "/v1/matches/a/b/moves"),
    ("POST", "/v1/matches/%00/moves"),
]
UNIQUE = {"X-Request-Id", "Date"}


def both_ways(world: ApiWorld, method: str, path: str, **more: Any) -> tuple[TestResponse, TestResponse]:
    plain: Flask = create_app(world.services, front=False)
    first = world.app.test_client().open(path, method=method, **more)
    return first, plain.test_client().open(path, method=method, **more)


def same(first: TestResponse, second: TestResponse) -> None:
    assert first.status == second.status
    for each in (first, second):
        assert len(each.headers["X-Request-Id"]) == 20
    headers = [
        sorted(pair for pair in each.headers.items() if pair[0] not in UNIQUE) for each in (first, second)
    ]
    assert headers[0] == headers[1]
    assert lasting(first.get_json(silent=True)) == lasting(second.get_json(silent=True))


def lasting(body: Any) -> Any:
    """Return a body without the fields that differ between any two requests."""
    if isinstance(body, list):
        return [lasting(each) for each in body]
    if isinstance(body, dict):
        return {name: lasting(value) for name, value in body.items() if name not in ("now", "request_id")}
    return body


@pytest.mark.parametrize(("method", "path"), ODD)
def test_requests_that_are_not_of_the_loop_reach_flask(world: ApiWorld, method: str, path: str) -> None:
    same(*both_ways(world, method, path))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"headers": {"Authorization": "Basic x"}},
        {"headers": {"Authorization": "Bearer kozyr_wrong"}},
        {"headers": {"Accept": "text/html", "Authorization": "Bearer x"}},
        {"query_string": "more=1", "headers": {"Authorization": "Bearer x"}},
        {"data": b"{", "content_type": "application/json", "headers": {"Authorization": "Bearer x"}},
    ],
)
@pytest.mark.parametrize("path", ["/v1/turns", "/v1/matches/00" + "a" * 26 + "/moves"])
def test_refusals_have_the_same_status_headers_and_body(
    world: ApiWorld, path: str, more: dict[str, Any]
) -> None:
    same(*both_ways(world, "POST", path, **more))


def test_a_response_has_the_same_headers(world: ApiWorld) -> None:
    bot, turn = world.started()
    headers = {"Authorization": f"Bearer {bot.token}"}
    move = {"turn": turn["turn"] + 9, "move": "take"}
    same(*both_ways(world, "GET", "/v1/turns", headers=headers))
    same(*both_ways(world, "POST", f"/v1/matches/{turn['match']}/moves", headers=headers, json=move))


def test_flask_does_not_see_a_request_of_the_loop(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    bot, turn = world.started()
    monkeypatch.setattr(Flask, "wsgi_app", None)
    body = {"turn": turn["turn"], "move": turn["observation"]["legal_moves"][0]}
    assert bot("POST", f"/v1/matches/{turn['match']}/moves", body).status_code == 200
    assert bot("POST", "/v1/turns", {}).status_code == 200
    assert bot("GET", "/v1/turns").status_code == 200
