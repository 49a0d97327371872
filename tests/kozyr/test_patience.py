"""Requests to a busy service are retried after the delay that it names, up to a limit. `kozyr verify` does so too."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from kozyr.reading.retry import PATIENCE_S, TooBusy, opened

PAGE = Path(__file__).parents[2] / "docs" / "shuffles.md"


class Asker:
    """A client whose clock advances only by its pauses."""

    def __init__(self, *answers: httpx.Response) -> None:
        self._answers = list(answers)
        self.slept: list[float] = []
        self.reported: list[str] = []
        self.http = httpx.Client(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def ask(self) -> int:
        """Return the status of the final response."""
        with opened(
            self.http,
            "http://service/",
            {},
            self.reported.append,
            sleep=self.slept.append,
            clock=lambda: sum(self.slept),
        ) as answer:
            return answer.status_code


def busy(status: int = 429, after: str | None = None) -> httpx.Response:
    headers = {} if after is None else {"Retry-After": after}
    return httpx.Response(status, headers=headers, json={"detail": "more than 600 in 60 s"})


def test_a_retry_waits_as_long_as_the_service_says_and_is_reported() -> None:
    asker = Asker(busy(429, "7"), busy(503, "1"), httpx.Response(200))
    assert asker.ask() == 200
    assert asker.slept == [7.0, 1.0]
    assert asker.reported[0] == "429: more than 600 in 60 s; retrying in 7 s"


def test_without_retry_after_pauses_double() -> None:
    asker = Asker(*[busy(503)] * 7, httpx.Response(200))
    assert asker.ask() == 200
    assert asker.slept == [1, 2, 4, 8, 16, 30, 30]


def test_other_refusals_are_not_retried() -> None:
    asker = Asker(httpx.Response(404))
    assert (asker.ask(), asker.slept) == (404, [])


def test_retries_end_with_a_clear_error() -> None:
    asker = Asker(busy(503))
    with pytest.raises(
        TooBusy, match=r"503: more than 600 in 60 s \(gave up after \d+ requests in \d+ s; the next"
    ):
        asker.ask()
    assert PATIENCE_S - 30 < sum(asker.slept) <= PATIENCE_S


def test_a_retry_beyond_the_time_limit_is_not_awaited() -> None:
    asker = Asker(busy(429, "3600"))
    with pytest.raises(TooBusy, match="the next would be in 3600 s"):
        asker.ask()
    assert asker.slept == []


class BusyService(ThreadingHTTPServer):
    """A service with the record of docs/shuffles.md. It refuses the first requests to each path."""

    def __init__(self, refusals: int, after: str) -> None:
        super().__init__(("127.0.0.1", 0), _BusyHandler)
        self.after, self._left, self._refusals = after, dict[str, int](), refusals
        found = re.search(r"```json record\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
        assert found is not None
        self.record = json.loads(found[1])

    def refuses(self, path: str) -> bool:
        """Return whether to refuse this request."""
        left = self._left.setdefault(path, self._refusals)
        self._left[path] = left - 1
        return left > 0


class _BusyHandler(BaseHTTPRequestHandler):
    server: BusyService

    def do_GET(self) -> None:
        kind, document = "application/json", self.server.record
        if self.path == "/v1/keys":
            key = self.server.record["proof"]["key"]
            document = {"keys": [{"key": key}], "records": 1}
        status = 200
        if self.server.refuses(self.path):
            status, kind, document = 503, "application/problem+json", {"detail": "the store does not answer"}
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 503:
            self.send_header("Retry-After", self.server.after)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def service(request: pytest.FixtureRequest) -> Iterator[str]:
    server = BusyService(*request.param)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/matches/m/record"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("service", [(2, "0")], indirect=True)
def test_verify_waits_for_a_service_that_is_busy_and_says_so(service: str) -> None:
    ended = CliRunner().invoke(main, ["verify", service])
    assert ended.exit_code == 0, ended.output
    assert "signatures: 1 checked" in ended.stdout
    reported = f"kozyr: {service}: 503: the store does not answer; retrying in 0 s"
    assert ended.stderr.splitlines() == [reported] * 4


@pytest.mark.parametrize("service", [(2, "100000")], indirect=True)
def test_verify_gives_up_when_the_service_is_busy_for_too_long(service: str) -> None:
    ended = CliRunner().invoke(main, ["verify", service])
    assert ended.exit_code == 2
    assert "the next would be in 100000 s" in ended.stderr
