"""The Python client and the commands read no endless, inflated or dripping response."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from typing import Any, Final

import pytest
from werkzeug import Request, Response

from kozyr_client import AsyncClient, Client, KozyrError, bounds, http
from tests.kozyr.test_dead_address import OTHERS
from tests.support.answering import answering
from tests.support.command_line import home, kozyr

__all__ = ["home"]

BYTES: Final = 2**20
LIMITS: Final = {"version": "0.1.0", "max_moves": 256}
BOMB: Final = gzip.compress(b" " * (20 * BYTES))
ENDLESS: Final = {
    "spaces": ("application/json", "", repeat(b" " * 65_536)),
    "line": ("application/x-ndjson", "", chain([b'{"id": "'], repeat(b"x" * 65_536))),
    "event": ("text/event-stream", "", chain([b"data: "], repeat(b"x" * 65_536))),
    "bomb": ("application/json", "gzip", [BOMB]),
    "bomb in a line": ("application/x-ndjson", "gzip", [BOMB]),
    "foreign encoding": ("application/json", "br", [b"x"]),
    "problem": ("application/problem+json", "", repeat(b" " * 65_536)),
}


class EndlessService:
    """A service whose responses have no end, but for `/v1/limits`."""

    def __init__(self, answer: str) -> None:
        self.answer, self.sent = answer, 0

    def __call__(self, request: Request) -> Response:
        if request.path == "/v1/limits":
            return Response(json.dumps(LIMITS), mimetype="application/json")
        kind, encoding, chunks = ENDLESS[self.answer]
        status = 422 if "problem" in kind else 200
        return Response(
            self.counted(chunks), status, {"Content-Encoding": encoding} if encoding else {}, kind
        )

    def counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.sent += len(chunk)
            yield chunk


def give_up(_: http.Backoff, failure: http.RetryLater) -> float:
    """End a command that would retry."""
    raise failure.error


@pytest.fixture(params=list(ENDLESS))
def endless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an endless service. The bound is lower than usual."""
    monkeypatch.setattr(bounds, "LONGEST_BYTES", BYTES)
    monkeypatch.setattr(http.Backoff, "pause", give_up)
    service = EndlessService(request.param)
    with answering(service) as url:
        yield url
    assert service.sent < 100 * BYTES  # what the buffers of the sockets hold comes on top of the bound


def refused(why: KozyrError) -> bool:
    return why.code == "response_refused" and "response" in why.problem["detail"]


def test_a_call_ends(endless: str) -> None:
    with Client(endless, "t") as client, pytest.raises(KozyrError) as raised:
        client.request("GET", "/v1/matches")
    assert refused(raised.value)


def test_streams_end(endless: str) -> None:
    with Client(endless, "t") as client:
        for stream in (client.records(), client.updates("bot")):
            with pytest.raises(KozyrError) as raised:
                next(stream)
            assert refused(raised.value)


@pytest.mark.parametrize(
    "words",
    [*OTHERS, ("verify", "{url}"), ("replay", "{url}"), ("view", "{url}"), ("review", "{url}")],
    ids=lambda words: " ".join(words[:2]),
)
@pytest.mark.parametrize("endless", ["spaces", "line"], indirect=True)
def test_a_command_ends_with_one_sentence(words: tuple[str, ...], endless: str, home: Any) -> None:
    done = kozyr(*(word.format(url=endless, folder=home) for word in words), env={"KOZYR_TOKEN": "t"})
    assert done.exit_code == 2, (done.output, done.exception)
    assert "is longer than 1 MiB" in done.stderr
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize("endless", ["spaces", "line", "event"], indirect=True)
def test_a_response_that_drips_ends(endless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**9))
    monkeypatch.setattr(bounds, "LONGEST_BYTES", 2**40)
    monkeypatch.setattr(bounds, "monotonic", lambda: float(next(clock)))
    with Client(endless, "t") as client, pytest.raises(KozyrError, match="takes too long"):
        client.request("GET", "/v1/matches")


class DrippingServer(BaseHTTPRequestHandler):
    """A service that sends one interim response after the other, and never the final one."""

    def do_GET(self) -> None:
        try:
            while True:
                self.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        except OSError:
            pass  # the client has had enough

    do_POST = do_GET  # noqa: N815

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def dripping(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a service whose headers never end. Each look at the clock takes three seconds."""
    clock = iter(range(10**9))
    monkeypatch.setattr(bounds, "monotonic", lambda: float(next(clock) * 3))
    monkeypatch.setattr(http.Backoff, "pause", give_up)
    with ThreadingHTTPServer(("127.0.0.1", 0), DrippingServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_headers_that_drip_end(dripping: str) -> None:
    async def call() -> Any:
        async with AsyncClient(dripping, "t") as client:
            await client.request("GET", "/v1/matches")

    with pytest.raises(KozyrError, match="takes too long"):
        asyncio.run(call())
    with Client(dripping, "t") as client:
        for each in (lambda: client.request("GET", "/v1/matches"), lambda: next(client.records())):
            with pytest.raises(KozyrError, match="takes too long"):
                each()


def test_many_lines_and_many_pieces_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "LONGEST_BYTES", 200_000)
    lines = b"".join(
        json.dumps({"id": f"m{number}", "fill": "x" * 10_000}).encode() + b"\n" for number in range(100)
    )
    answer = ("application/x-ndjson", "gzip", [gzip.compress(lines)])
    monkeypatch.setitem(ENDLESS, "spaces", answer)
    with answering(EndlessService("spaces")) as url, Client(url) as client:
        assert [record["id"] for record in client.records()] == [f"m{number}" for number in range(100)]
