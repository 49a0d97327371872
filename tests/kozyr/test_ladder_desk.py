"""The requests of `kozyr ladder` after lost responses, and its parsing of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from kozyr.cli.ladders.desk import LadderClient
from kozyr_client import Client, KozyrError
from tests.bots.fake_service import problem, response_of


def desk(answer: Callable[[httpx.Request], httpx.Response]) -> LadderClient:
    return LadderClient(
        Client("http://service", "token", transport=httpx.MockTransport(answer), sleep=lambda _: None)
    )


@pytest.mark.parametrize(
    "act",
    [
        lambda desk: desk.create(body={"name": "Nightly"}),
        lambda desk: desk.create("l1", "rounds"),
    ],
)
def test_a_retried_creation_has_the_same_idempotency_key(act: Callable[[LadderClient], Any]) -> None:
    keys: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers.get("Idempotency-Key"))
        if len(keys) == 1:
            raise httpx.ReadError("the connection is gone", request=request)
        if len(keys) == 2:
            return response_of(503, {}, problem("store_unavailable", 503, retryable=True))
        return httpx.Response(201, json={"id": "l1"})

    at = desk(answer)
    assert act(at) == {"id": "l1"}
    first, *others = keys
    assert first is not None
    assert others == [first, first]
    act(at)
    assert keys[-1] != first


def test_lists_are_read_page_by_page_up_to_the_limit() -> None:
    asked: list[dict[str, str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        query = dict(request.url.params)
        asked.append(query)
        start = int(query.get("cursor", 0))
        page = [{"id": f"l{number}"} for number in range(start, min(450, start + int(query["limit"])))]
        then = start + len(page)
        return httpx.Response(200, json={"ladders": page, "cursor": None if then == 450 else str(then)})

    assert [each["id"] for each in desk(answer).listed(field="ladders", most=1000)] == [
        f"l{number}" for number in range(450)
    ]
    assert [query.get("cursor") for query in asked] == [None, "200", "400"]
    asked.clear()
    assert len(desk(answer).listed(field="ladders", most=7)) == 7
    assert asked == [{"limit": "7"}]


def test_names_are_escaped_in_paths() -> None:
    paths: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path)
        return response_of(404, {}, problem("no_such_ladder", 404))

    with pytest.raises(KozyrError):
        desk(answer).request("DELETE", "../owners", "entries", "me", "bot?x")
    assert paths == [b"/v1/ladders/..%2Fowners/entries/me/bot%3Fx"]
