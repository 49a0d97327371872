"""What is compressed, what caches may keep, and who may read responses from other origins."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import replace

import pytest
from werkzeug.test import TestResponse

from api.app import create_app
from tests.api.conftest import ApiWorld, Person

GZIP = {"Accept-Encoding": "gzip"}
PUBLIC = ("/openapi.json", "/openapi.yaml", "/v1/games", "/v1/games/durak")
ORIGIN = "https://class.example"


def a_record(world: ApiWorld) -> tuple[Person, str]:
    """Return a bot and the path of the record of a match that it played."""
    bot, turn = world.started()
    while turns := bot.turns():
        bot.move(turns[0])
    return bot, f"/v1/matches/{turn['match']}/record"


def is_gzip(answer: TestResponse) -> bool:
    return answer.headers.get("Content-Encoding") == "gzip"


def test_public_documents_are_compressed_with_the_same_content(world: ApiWorld) -> None:
    bot, record = a_record(world)
    for path in (*PUBLIC, record, "/v1/records"):
        plain = world.client.get(path)
        assert not is_gzip(plain)
        assert "Accept-Encoding" in plain.vary
        for small in (world.client.get(path, headers=GZIP), bot("GET", path, headers=GZIP)):
            assert is_gzip(small) == (len(plain.data) >= 2048 or path == "/v1/records"), path
            if is_gzip(small):
                assert gzip.decompress(small.data) == plain.data
                assert len(small.data) < len(plain.data) / 2
                assert path == "/v1/records" or small.content_length == len(small.data)


def test_what_only_its_caller_may_read_is_never_compressed(world: ApiWorld) -> None:
    bot, turn = world.started()
    match = turn["match"]
    for path in (f"/v1/matches/{match}", f"/v1/matches/{match}/events", "/v1/matches?limit=200", "/v1/turns"):
        assert not is_gzip(bot("GET", path, headers=GZIP)), path
    cookie = world.client.get(f"/v1/matches/{match}/events", headers={**GZIP, "Cookie": "session=1"})
    assert not is_gzip(cookie)
    stream = world.client.get(f"/v1/matches/{match}/stream?seconds=0", headers=GZIP)
    assert (is_gzip(stream), stream.mimetype) == (False, "text/event-stream")


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        ("", None),
        ("identity", None),
        ("br", None),
        ("gzip;q=0", None),
        ("gzip;q=0, *;q=0.5", None),
        ("*;q=0", None),
        ("gzip;q=0.5, identity", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "gzip"),
        ("zstd;q=0.8, gzip;q=0.4", "gzip"),
        ("*", "gzip"),
        ("GZIP", "gzip"),
    ],
)
def test_gzip_is_sent_where_it_is_accepted(world: ApiWorld, accepts: str, coding: str | None) -> None:
    answer = world.client.get("/openapi.json", headers={"Accept-Encoding": accepts})
    assert answer.headers.get("Content-Encoding") == coding
    assert "Accept-Encoding" in answer.vary


def test_caches_revalidate_what_everybody_may_read(world: ApiWorld) -> None:
    _, record = a_record(world)
    pages = ("/", "/problems", "/start.js", "/swagger-ui-bundle.js")
    constant = (
        "/llms.txt",
        "/skills/kozyr/SKILL.md",
        "/openapi-bot.yaml",
        *(f"/docs{page}" for page in pages),
    )
    for path in (*PUBLIC, record, *constant):
        for headers in ({}, GZIP):
            first = world.client.get(path, headers=headers)
            assert first.headers["Cache-Control"] == "public, no-cache" or path in constant
            assert "public" in first.headers["Cache-Control"]
            known = {**headers, "If-None-Match": first.headers["ETag"]}
            again = world.client.get(path, headers=known)
            assert (again.status_code, again.data) == (304, b""), path
            assert again.headers["ETag"].removeprefix("W/") == first.headers["ETag"].removeprefix("W/")
            other = world.client.get(path, headers={**headers, "If-None-Match": '"another"'})
            assert (other.status_code, other.data) == (200, first.data)


def test_a_head_has_the_headers_of_the_get(world: ApiWorld) -> None:
    for headers in ({}, GZIP):
        get, head = (
            world.client.open("/openapi.json", method=method, headers=headers) for method in ("GET", "HEAD")
        )
        assert head.data == b""
        for name in ("Content-Length", "Content-Encoding", "ETag", "Vary", "Cache-Control"):
            assert head.headers.get(name) == get.headers.get(name), name


def test_a_void_match_has_another_record(world: ApiWorld) -> None:
    _, record = a_record(world)
    known = {"If-None-Match": world.client.get(record).headers["ETag"]}
    void = record.replace("/record", "/void")
    assert world.admin()("POST", void, {"reason": "a test"}).status_code == 200
    assert world.client.get(record, headers=known).status_code == 200


def allowing(world: ApiWorld, *origins: str) -> ApiWorld:
    """Return the world with an application that allows these origins."""
    services = replace(world.services, cors_origins=frozenset(origins))
    app = create_app(services)
    return ApiWorld(app, services, app.test_client())


def cors(answer: TestResponse) -> Mapping[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("Access-Control-")}


@pytest.mark.parametrize(("allowed", "expected"), [((ORIGIN, "https://b.example"), ORIGIN), (("*",), "*")])
def test_an_allowed_origin_may_read_responses_and_refusals(
    world: ApiWorld, allowed: tuple[str, ...], expected: str
) -> None:
    client = allowing(world, *allowed).client
    for path, status in (("/v1/games", 200), ("/v1/games/chess", 404), ("/v1/turns", 401)):
        answer = client.get(path, headers={"Origin": ORIGIN})
        assert (answer.status_code, cors(answer)["Access-Control-Allow-Origin"]) == (status, expected)
        assert "X-Request-Id" in cors(answer)["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert ("Origin" in answer.vary) == (expected != "*")
        # A cache must not give one page the response to another.
        assert ("Origin" in client.get(path).vary) == (expected != "*")


def test_a_preflight_names_methods_and_headers(world: ApiWorld) -> None:
    client = allowing(world, ORIGIN).client
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    reported = cors(client.options("/v1/turns", headers=asked))
    assert reported["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS, POST"
    assert "Authorization" in reported["Access-Control-Allow-Headers"]
    assert "Idempotency-Key" in reported["Access-Control-Allow-Headers"]
    assert "Range" in reported["Access-Control-Allow-Headers"].split(", ")
    assert "Content-Range" in reported["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "https://class.example.evil", "http://class.example"]
)
def test_another_origin_is_not_allowed(world: ApiWorld, origin: str) -> None:
    client = allowing(world, ORIGIN).client
    answer = client.get("/v1/games", headers={"Origin": origin})
    assert not cors(answer)
    assert "Origin" in answer.vary
