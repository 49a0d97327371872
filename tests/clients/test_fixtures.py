"""The wire fixtures: they keep to the contract, and the Python client follows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from kozyr_client import Client, Finished, KozyrError, Turn
from tests.clients.record import FOLDER, SCENARIOS
from tests.clients.replay import content_type
from tests.support.strict_schemas import published

FIXTURES = sorted(FOLDER.glob("*.json"))

WARNINGS = {
    "retry": "; attempt ",
    "late": " was late by ",
    "near_deadline": " before its deadline",
    "illegal_move": " is not legal in turn ",
    "not_open": " is not open: ",
    "deprecated": " is deprecated",
    "service": "service is ",
}
"""What the Python client logs for each kind of warning."""

SCHEMAS = {
    "/v1/limits": ("", "Limits"),
    "/v1/turns": ("MoveBatch", "MoveResults"),
    "/v1/queue": ("JoinQueue", "QueueEntry"),
}
"""The schemas of the bodies of requests and responses."""


def load(path: Path) -> dict[str, Any]:
    fixture: dict[str, Any] = json.loads(path.read_text())
    return fixture


def schema(name: str) -> Any:
    """Return a validator for a schema of the contract."""
    return jsonschema.Draft202012Validator({**published(), "$ref": f"#/components/schemas/{name}"})


class Replayer(httpx.BaseTransport):
    """Answers as a fixture says, and compares the requests with it."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self.rest = list(exchanges)
        self._keys: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        exchange = self.rest.pop(0)
        asked: dict[str, Any] = {"method": request.method, "path": request.url.path}
        if request.content:
            asked["body"] = json.loads(request.content)
        if key := request.headers.get("Idempotency-Key"):
            self._keys += [] if key in self._keys else [key]
            asked["key"] = self._keys.index(key) + 1
        assert asked == exchange["request"]
        response = exchange["response"]
        if "cut" in response:
            raise httpx.ReadError("the connection was cut")
        content = response["text"] if "text" in response else json.dumps(response["body"])
        headers = {"Content-Type": content_type(response), **response.get("headers", {})}
        return httpx.Response(response["status"], content=content, headers=headers)


class FixtureWatch:
    """A clock that only the fixture's delays move."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_the_python_client_follows_each_fixture(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fixture, chosen, error = load(path), [], None
    replayer, watch = Replayer(fixture["exchanges"]), FixtureWatch()
    finished: list[Finished] = []

    def choose(turn: Turn) -> str:
        chosen.append(key := f"{turn.match}/{turn.number}")
        choice = fixture["choices"][key]
        if choice.get("finish"):
            client.finish()
        watch.sleep(choice.get("delay_ms", 0) / 1000)
        return str(choice["move"])

    with Client("http://fixture", transport=replayer, sleep=watch.sleep, clock=watch) as client:
        try:
            finished = client.play(choose, **fixture["play"])
        except KozyrError as why:
            error = {"code": why.code, "status": why.status}
    assert error == fixture["expect"]["error"]
    assert [match.match for match in finished] == fixture["expect"]["finished"]
    assert sorted(chosen) == sorted(fixture["choices"])
    assert replayer.rest == []
    for kind in fixture["expect"]["warnings"]:
        assert WARNINGS[kind] in caplog.text


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_each_fixture_keeps_to_the_contract(path: Path) -> None:
    for exchange in load(path)["exchanges"]:
        request, response = exchange["request"], exchange["response"]
        sent, answered = SCHEMAS[request["path"]]
        if "body" in request:
            schema(sent).validate(request["body"])
        if "body" in response and response["status"] < 400:
            schema(answered).validate(response["body"])
        elif "body" in response:
            schema("Problem").validate(response["body"])


def test_each_scenario_has_a_fixture_and_a_line_in_the_readme() -> None:
    names = {scenario.__name__ for scenario in SCENARIOS}
    assert {path.stem for path in FIXTURES} == names
    readme = (FOLDER / "README.md").read_text()
    assert {name for name in names if f"| `{name}` |" in readme} == names
