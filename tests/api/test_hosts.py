"""Requests that name another host are refused, and no page links to a foreign host."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from werkzeug.test import Client

from api.app import create_app
from api.host_and_accept import Hosts
from tests.api.conftest import compose

ACCEPTED = ["kozyr.example", "KOZYR.example:443", "kozyr.example.", "localhost", "localhost:8000", "api:8000",
            "a.localhost",
            "127.0.0.1:8000", "10.1.2.3", "[::1]:8000", "[2001:db8::1]"]  # fmt: skip
REFUSED = ["evil.example", "kozyr.example.evil.example", "evilkozyr.example", "1.2.3", "1.2.3.4.5", "a b",
           "a@kozyr.example",
           "kozyr.example/", "[::g]", "kozyr.example:x", "k\xf6zyr"]  # fmt: skip


@pytest.fixture(scope="module")
def app(redis_url: str) -> Flask:
    services = compose(redis_url)
    services.hosts = Hosts(["kozyr.example"])
    return create_app(services)


@pytest.mark.parametrize("path", ["/", "/v1/turns", "/v1/limits", "/healthz", "/nowhere"])
def test_a_request_for_another_host_is_misdirected(app: Flask, path: str) -> None:
    answer = Client(app).get(path, headers={"Host": "evil.example", "Accept": "text/html, application/json"})
    problem = json.loads(answer.data)
    assert (answer.status_code, problem["code"]) == (421, "wrong_host")
    assert "evil" not in answer.text
    assert "evil" not in str(answer.headers)


@pytest.mark.parametrize(
    ("host", "status"), [*((host, 401) for host in ACCEPTED), *((host, 421) for host in REFUSED)]
)
def test_only_names_of_the_service_addresses_and_local_names_are_accepted(
    app: Flask, host: str, status: int
) -> None:
    assert Client(app).get("/v1/turns", headers={"Host": host}).status_code == status
    assert Hosts(["*"]).accepts(host), "an operator can accept every name"
