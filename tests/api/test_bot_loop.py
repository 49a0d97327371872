"""A bot's loop is a WSGI application before Flask. Everything else reaches Flask, whose hooks run."""

from __future__ import annotations

import pytest
import redis
from flask import Flask, Response, request

from api.app import create_app
from api.services import Services
from tests.api.conftest import ApiWorld, Person, refused

ODD = [
    ("OPTIONS", "/v1/turns", 200, "GET, HEAD, OPTIONS, POST"),
    ("PUT", "/v1/turns", 405, "GET, HEAD, OPTIONS, POST"),
    ("POST", "/v1/turns/", 404, None),
    ("GET", "/v1/matches/00/moves", 405, "OPTIONS, POST"),
    ("POST", "/v1/matches//moves", 404, None),
    ("POST", "/v1/matches/a/b/moves", 404, None),
    ("POST", "/v1/matches/moves", 405, "GET, HEAD, OPTIONS"),
]


@pytest.fixture
def hooked(composed: tuple[Flask, Services], redis_client: redis.Redis) -> tuple[ApiWorld, list[str]]:
    """An application with hooks of its operator, and what they have seen."""
    services, seen = composed[1], list[str]()
    app = create_app(services)

    @app.before_request
    def before() -> Response | None:
        seen.append(f"before {request.path}")
        return Response("closed", 418) if "closed" in request.args else None

    @app.after_request
    def after(response: Response) -> Response:
        seen.append(f"after {response.status_code}")
        response.headers["X-AfterCommitStep"] = "ran"
        return response

    @app.teardown_request
    def teardown(error: BaseException | None) -> None:
        seen.append("teardown")

    services.referee.store.heartbeat()
    return ApiWorld(app, services, app.test_client()), seen


def test_hooks_run_for_each_request_of_flask_and_for_none_of_the_loop(
    hooked: tuple[ApiWorld, list[str]],
) -> None:
    world, seen = hooked
    for path, status in (("/v1/games", 200), ("/nothing", 404)):
        response = world.client.get(path)
        assert seen == [f"before {path}", f"after {status}", "teardown"]
        assert (response.status_code, response.headers["X-AfterCommitStep"]) == (status, "ran")
        assert len(response.headers["X-Request-Id"]) == 20, "ours run too"
        seen.clear()
    response = world.client.get("/v1/games?closed")  # a hook may answer instead of the handler
    assert (response.status_code, response.text) == (418, "closed")
    assert (response.headers["X-AfterCommitStep"], response.headers["Cache-Control"]) == ("ran", "no-store")
    bot, turn = world.started()
    seen.clear()
    bot.move(turn)
    assert bot("POST", "/v1/turns", {}).status_code == bot("GET", "/v1/turns").status_code == 200
    assert seen == []


@pytest.mark.parametrize(("method", "path", "status", "allow"), ODD)
def test_requests_that_are_not_of_the_loop_reach_flask(
    hooked: tuple[ApiWorld, list[str]], method: str, path: str, status: int, allow: str | None
) -> None:
    world, seen = hooked
    response = world.client.open(path, method=method)
    assert (response.status_code, response.headers.get("Allow")) == (status, allow)
    assert seen[0] == f"before {path}"


def test_head_gets_the_headers_of_get(world: ApiWorld) -> None:
    bot, _ = world.started()
    got, head = bot("GET", "/v1/turns"), bot("HEAD", "/v1/turns")
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Type"] == got.headers["Content-Type"]
    assert int(head.headers["Content-Length"]) > 0


@pytest.mark.parametrize(("match", "name"), [("x", "x"), ("%00", "\0"), ("%D1%85", "х"), ("%FF", "\ufffd")])
def test_a_move_in_a_match_that_cannot_exist_is_refused(world: ApiWorld, match: str, name: str) -> None:
    bot: Person = world.bot()
    response = bot("POST", f"/v1/matches/{match}/moves", {"turn": 1, "move": "pass"})
    assert refused(response, 404, "no_such_match")["detail"] == f"there is no match {name}"
