"""Headers that every response carries."""

from __future__ import annotations

import dataclasses

import pytest
from flask import request

from api.app import create_app
from api.contract import spec
from api.services import Services
from tests.api.conftest import ApiWorld
from tests.api.contract import inlined

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGES = ("/docs/", "/docs/problems", "/docs/start.js", "/docs/swagger-ui.css")
DATA = ("/", "/healthz", "/v1/games", "/openapi.yaml", "/v1/turns", "/nothing", "/docs/nothing")


@pytest.mark.parametrize("path", [*PAGES, *DATA])
def test_every_answer_has_the_security_headers_once_and_a_request_id(world: ApiWorld, path: str) -> None:
    answer = world.client.get(path)
    for name, value in ALWAYS.items():
        assert answer.headers.getlist(name) == [value]
    assert len(answer.headers.getlist("Content-Security-Policy")) == 1
    assert len(answer.headers["X-Request-Id"]) == 20
    assert "Strict-Transport-Security" not in answer.headers


@pytest.mark.parametrize("path", DATA[:-1])
def test_data_cannot_be_run_or_framed(world: ApiWorld, path: str) -> None:
    policy = world.client.get(path).headers["Content-Security-Policy"]
    assert policy == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_our_scripts_and_no_inline_script(world: ApiWorld, path: str) -> None:
    page = world.client.get(path)
    rules = page.headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= {*rules}
    assert "<script>" not in page.text


def test_a_clients_request_id_is_ignored(world: ApiWorld) -> None:
    answer = world.client.get("/healthz", headers={"X-Request-Id": "mine"})
    assert answer.headers["X-Request-Id"] != "mine"


@pytest.mark.parametrize("path", ["/v1/games", "/v1/turns", "/docs/"])
def test_pages_of_other_origins_cannot_read_responses(world: ApiWorld, path: str) -> None:
    headers = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    for method in ("GET", "OPTIONS"):
        answer = world.client.open(path, method=method, headers=headers)
        assert not [name for name in answer.headers.keys() if name.startswith("Access-Control")]  # noqa: SIM118


@pytest.mark.parametrize(("behind_tls", "scheme"), [(False, "http"), (True, "https")])
def test_behind_tls_addresses_and_hsts_say_so(behind_tls: bool, scheme: str) -> None:
    app = create_app(dataclasses.replace(Services.of_the_document(), behind_tls=behind_tls))
    app.add_url_rule("/address", view_func=lambda: request.host_url)
    assert app.test_client().get("/address").text == f"{scheme}://localhost/"
    for path in ("/healthz", "/docs/"):
        hsts = app.test_client().get(path).headers.get("Strict-Transport-Security")
        assert hsts == ("max-age=31536000" if behind_tls else None)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "gzip, identity"])
@pytest.mark.parametrize("path", ["/v1/turns", "/v1/matches/{match}/moves", "/v1/matches", "/v1/bots"])
def test_an_encoded_body_is_refused_and_not_unpacked(world: ApiWorld, path: str, encoding: str) -> None:
    bot, turn = world.started()
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json"}
    answer = bot("POST", path.format(match=turn["match"]), headers=headers, data=b"\x1f\x8b\x08")
    assert (answer.status_code, answer.json["code"]) == (415, "encoded_body")
    assert answer.headers["Accept-Encoding"] == "identity"


def test_a_badge_may_be_embedded_anywhere_and_is_revalidated(world: ApiWorld) -> None:
    address = f"/v1/bots/{world.bot().name}/badge.svg"
    first = world.client.get(address)
    assert (first.status_code, first.mimetype) == (200, "image/svg+xml")
    assert first.headers.getlist("Cross-Origin-Resource-Policy") == ["cross-origin"]
    assert first.headers["Cache-Control"].startswith("public, max-age=60")
    again = world.client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert world.client.get(address, headers={"If-None-Match": '"another"'}).status_code == 200


def test_only_badges_may_be_embedded(world: ApiWorld) -> None:
    for path, item in inlined(spec.openapi(world.app)).items():
        if "get" in item and not path.endswith("/badge.svg"):
            answer = world.client.get(path)
            assert answer.headers.getlist("Cross-Origin-Resource-Policy") == ["same-origin"], path
