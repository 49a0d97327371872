"""The Python client and `kozyr watch` follow the stream of an account."""

from __future__ import annotations

import asyncio
import json
from itertools import islice
from typing import Any

import httpx

from kozyr_client import AsyncClient, Client

RATED = {
    "type": "rating.changed",
    "timestamp": "2026-11-21T18:00:00.000Z",
    "data": {"bot": "example/fool", "preset": "durak/2", "rating": 1510.0, "low": 1400.0, "high": 1620.0},
}


def message(number: int | None, **more: Any) -> bytes:
    ident = b"" if number is None else b"id: %d\n" % number
    return ident + b"data: " + json.dumps({**RATED, **more}).encode() + b"\n\n"


class FakeService:
    """A service that gives these responses, one after the other."""

    def __init__(self, *responses: bytes | httpx.Response | Exception) -> None:
        self.requests: list[httpx.Request] = []
        self._responses = list(responses)
        self.transport = httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        found = self._responses.pop(0)
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, httpx.Response) else httpx.Response(200, content=found)


def test_a_stream_continues_after_the_last_event() -> None:
    slept: list[float] = []
    service = FakeService(
        b"retry: 2000\n\n" + message(None, type="turn.waiting") + message(7) + b": stopping\nretry: 1000\n\n",
        httpx.ReadError("cut"),
        b":\n\n" + message(8),
    )
    with Client("http://service.test", "t", transport=service.transport, sleep=slept.append) as client:
        found = list(islice(client.updates("bot", turns=True), 3))
    assert [(each["id"], each["type"]) for each in found] == [
        (None, "turn.waiting"),
        (7, "rating.changed"),
        (8, "rating.changed"),
    ]
    assert [request.url.query for request in service.requests] == [
        b"turns=true",
        *[b"turns=true&after=7"] * 2,
    ]
    assert slept[0] == 1.0
    assert service.requests[0].headers["Authorization"] == "Bearer t"


def test_an_owner_is_followed_asynchronously_too() -> None:
    service = FakeService(message(3) + message(4))

    async def read() -> list[Any]:
        async with AsyncClient("http://service.test", "t", transport=service.transport) as client:
            found = []
            async for update in client.updates("owner", after=2):
                found.append(update)
                if len(found) == 2:
                    break
            return found

    assert [each["id"] for each in asyncio.run(read())] == [3, 4]
    assert str(service.requests[0].url) == "http://service.test/v1/owner/stream?after=2"
