"""Requests that pause, as the long polls of bots do: their connections wait without greenlets."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import gevent
import httpx
import pytest
from gevent.pool import Pool

from referee.polling.waiter import Pause, Waiter
from server.streams import PausedConnection
from tests.kozyr.test_server import DIRECT, connection, parsed, received
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

MANY = 50
FOREVER = 900
TOO_LONG = 1001


@pytest.fixture
def api(tmp_path: Path) -> Iterator[LiveService]:
    settings = {"KOZYR_REDIS_URL": "redis://127.0.0.1:1/0", "KOZYR_CONNECTIONS": str(MANY + 8)}
    with LiveService(tmp_path, ["api"], settings=settings, commands={"api": DIRECT}) as service:
        yield service


@contextlib.contextmanager
def paused(api: LiveService, count: int, seconds: float = FOREVER) -> Iterator[list[socket.socket]]:
    """Yield connections whose requests all pause."""
    with contextlib.ExitStack() as opened:
        clients = [opened.enter_context(connection(api)) for _ in range(count)]
        for client in clients:
            ask(client, seconds)
        eventually(lambda: state(api)["waiting"] == count)
        yield clients


def ask(client: socket.socket, seconds: float, more: str = "") -> None:
    client.sendall(f"GET /pause?{seconds:g} HTTP/1.1\r\nHost: t\r\n{more}\r\n".encode())


def answered(client: socket.socket) -> bytes:
    return parsed(client.recv(65536))[2]


def state(api: LiveService) -> dict[str, int]:
    document: dict[str, int] = httpx.get(api.url + "/readyz", timeout=60).json()
    return document


def wake(api: LiveService) -> None:
    httpx.post(api.url + "/wake", timeout=60)


def test_a_wake_up_before_the_connection_waits_is_not_lost() -> None:
    waiter, pool, went_on = Waiter(), Pool(2), []
    waiter.wake()
    rest = gevent.Greenlet(went_on.append, True)
    pool.spawn(PausedConnection, Pause(waiter, FOREVER), rest, pool)
    rest.join(timeout=30)
    assert went_on == [True]


def test_a_paused_request_has_no_greenlet_and_goes_on_when_it_is_woken(api: LiveService) -> None:
    before = state(api)["greenlets"]
    with paused(api, MANY) as clients:
        assert state(api)["greenlets"] <= before + 1
        wake(api)
        assert {answered(client) for client in clients} == {b"woken"}
        for client in clients:
            ask(client, FOREVER)
        eventually(lambda: state(api)["waiting"] == MANY)
        wake(api)
        assert {answered(client) for client in clients} == {b"woken"}
    eventually(lambda: state(api)["greenlets"] <= before + 1)


def test_a_pause_ends_with_its_time(api: LiveService) -> None:
    with connection(api) as client:
        for _ in range(3):
            ask(client, 0.01)
            assert answered(client) == b"late"


def test_requests_that_follow_a_paused_one_at_once_are_answered_after_it(api: LiveService) -> None:
    with paused(api, 1) as (client,):
        ask(client, 0.01)
        ask(client, 0.01, "Connection: close\r\n")
        wake(api)
        assert re.findall(b"\r\n\r\n(woken|late)", received(client)) == [b"woken", b"late", b"late"]


def test_an_error_after_a_pause_ends_the_connection_and_nothing_else(api: LiveService) -> None:
    with paused(api, 1, TOO_LONG) as (client,):
        wake(api)
        assert parsed(received(client))[0] == 500
    with paused(api, 1) as (client,):
        wake(api)
        assert answered(client) == b"woken"


def test_paused_requests_whose_clients_have_gone_leave_their_places(api: LiveService) -> None:
    for _ in range(3):
        with paused(api, MANY):
            pass
        wake(api)
        eventually(lambda: state(api)["waiting"] == 0)


def test_paused_requests_are_answered_when_the_worker_stops(api: LiveService) -> None:
    with paused(api, MANY) as clients:
        os.kill(state(api)["pid"], signal.SIGTERM)
        for client in clients:
            status, headers, body = parsed(received(client))
            assert (status, headers["connection"], body) == (200, "close", b"woken")
