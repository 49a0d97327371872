"""Each fault of the proxy does what its name says, and the journal records it."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.support.fault_proxy import Exchange, FaultProxy, ProxyFault
from tests.support.waiting import eventually


class CountingServer(ThreadingHTTPServer):
    """A server that answers each request with the number of earlier requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), CountingHandler)
        self.bodies: list[Any] = []

    def handle_error(self, *_: Any) -> None:
        """Ignore errors: the proxy cuts connections on purpose."""


class CountingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: CountingServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) < int(self.headers["Content-Length"]):
            return
        self.server.bodies.append(json.loads(body))
        content = json.dumps({"nth": len(self.server.bodies)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[CountingServer]:
    with CountingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(proxy: FaultProxy, body: Any) -> tuple[int, Any] | None:
    """Return the response to a request through the proxy, or `None` if it was incomplete."""
    with closing(http.client.HTTPConnection(proxy.url.removeprefix("http://"), timeout=60)) as connection:
        try:
            connection.request("POST", "/v1/turns", json.dumps(body), {"Authorization": "Bearer harmed"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()) if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None


def harmed(
    server: CountingServer, fault: ProxyFault, monkeypatch: pytest.MonkeyPatch
) -> tuple[Any, list[Exchange]]:
    """Return the response that a bot gets under this fault, and the journal."""
    monkeypatch.setattr("tests.support.fault_proxy.random.Random.choice", lambda *_: fault)
    with FaultProxy(server.server_address[1], seed=7, rate=1.0) as proxy:
        proxy.name("harmed", "bot")
        got = ask(proxy, {"moves": []})
        expected = 2 if fault in (ProxyFault.DOUBLED, ProxyFault.ECHOED) else 1
        reached = 0 if fault in (ProxyFault.CUT_BEFORE, ProxyFault.CUT_INSIDE_REQUEST) else expected
        eventually(lambda: len(server.bodies) == reached, f"the service gets it {reached} times")
        if fault is not ProxyFault.CUT_BEFORE:
            eventually(lambda: len(proxy.journal) == expected, "the journal has it")
        assert sum(proxy.counts.values()) == 1
    return got, proxy.journal


@pytest.mark.parametrize("fault", ProxyFault)
def test_a_fault_does_what_its_name_says(
    server: CountingServer, fault: ProxyFault, monkeypatch: pytest.MonkeyPatch
) -> None:
    got, journal = harmed(server, fault, monkeypatch)
    if fault in (ProxyFault.CUT_BEFORE, ProxyFault.CUT_INSIDE_REQUEST, ProxyFault.CUT_AFTER_REQUEST):
        assert got is None
        assert all(exchange.answered is None for exchange in journal)
    elif fault in (ProxyFault.SWALLOWED, ProxyFault.CUT_INSIDE_ANSWER):
        assert got is None
        assert [(each.status, each.answer, each.delivered) for each in journal] == [(200, {"nth": 1}, False)]
    elif fault is ProxyFault.GATEWAY:
        assert got is not None
        assert got[0] == 502
        assert (journal[0].status, journal[0].delivered) == (200, False)
    else:
        assert got is not None
        assert got in [(200, {"nth": 1}), (200, {"nth": 2})]
    assert [exchange.whole for exchange in journal] == [fault is not ProxyFault.CUT_INSIDE_REQUEST] * len(
        journal
    )


def test_anonymous_requests_pass_unharmed_and_a_seed_repeats_the_faults(server: CountingServer) -> None:
    def faults() -> list[ProxyFault | None]:
        server.bodies.clear()
        with FaultProxy(server.server_address[1], seed=11, rate=0.5) as proxy:
            assert ask(proxy, {}) is not None, "requests without a named token have no faults"
            proxy.name("harmed", "bot")
            for _ in range(12):
                ask(proxy, {})
            return [exchange.fault for exchange in proxy.journal if exchange.fault is not ProxyFault.ECHOED]

    once = faults()
    assert once == faults()
    assert len(set(once)) > 3
