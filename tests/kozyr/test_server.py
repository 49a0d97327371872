"""The gevent worker on real sockets: timeouts for headers and bodies, limits, and shutdowns that answer requests."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.http.headers import of_data
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

TIMEOUT_S = 0.5
KEEPALIVE_S = 1.5
RUBBISH = b"castle\r\n\r\n"
COMMAND = [
    sys.executable,
    "-m",
    "gunicorn",
    "-c",
    "python:server.gunicorn_conf",
    "tests.support.tiny:create()",
]
HEAD = b"POST /echo HTTP/1.1\r\nHost: t\r\n"


DIRECT = [*COMMAND[:-1], "tests.support.tiny:create(direct=True)"]
"""The same with `server.direct` for all plain requests."""


@pytest.fixture(scope="module", params=[COMMAND, DIRECT], ids=["gunicorn", "direct"])
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    settings = {
        "KOZYR_BODY_TIMEOUT_S": str(TIMEOUT_S),
        "KOZYR_KEEPALIVE_S": str(KEEPALIVE_S),
        "KOZYR_SEND_TIMEOUT_S": str(TIMEOUT_S),
        "KOZYR_MAX_BODY_BYTES": "4096",
        "KOZYR_REDIS_URL": "redis://127.0.0.1:1/0",
    }
    folder = tmp_path_factory.mktemp("server")
    with LiveService(folder, ["api"], settings=settings, commands={"api": request.param}) as service:
        yield service


@contextlib.contextmanager
def connection(api: LiveService) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", api.port), timeout=60) as client:
        yield client


def received(client: socket.socket) -> bytes:
    """Return all bytes until the server closes the connection."""
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def parsed(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, body


def drip(client: socket.socket, data: bytes, every: float) -> None:
    """Send one byte at a time until the server answers or closes the connection, which it does before the last."""
    with contextlib.suppress(OSError):
        for byte in data:
            client.sendall(bytes([byte]))
            client.settimeout(every)
            try:
                if client.recv(1, socket.MSG_PEEK) is not None:
                    break
            except TimeoutError:
                continue
        else:
            pytest.fail("the server has waited for all bytes")
    client.settimeout(60)


def problem(answer: bytes) -> dict[str, Any]:
    status, headers, body = parsed(answer)
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    document: dict[str, Any] = json.loads(body)
    assert document["status"] == status
    assert document["type"] == "about:blank"
    return document


def test_a_body_arrives_whole_by_length_and_by_chunks(api: LiveService) -> None:
    for sent, arrives in ((b"x" * 4096, b"x" * 4096), (iter([b"ab", b"cd"]), b"abcd"), (None, b"")):
        assert httpx.post(api.url + "/echo", content=sent, timeout=60).content == arrives


def test_the_application_learns_when_a_body_arrived(api: LiveService) -> None:
    before = time.monotonic()
    arrived = float(httpx.post(api.url + "/echo", content=b"x", timeout=60).headers["Arrived"])
    assert before <= arrived <= time.monotonic()


@pytest.mark.parametrize(
    ("sent", "ends", "status"),
    [
        (b"Content-Length: 10\r\n\r\n{", False, 408),
        (b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", False, 408),
        (b"Content-Length: 10\r\n\r\n{}", True, 400),
        (b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n", False, 400),
        (b"Content-Length: 4097\r\n\r\n" + b"x" * 4097, False, 413),
        (b"Transfer-Encoding: chunked\r\n\r\n1001\r\n" + b"x" * 4097, False, 413),
    ],
    ids=["late", "late chunks", "cut", "bad chunks", "too long", "a chunk too long"],
)
def test_a_bad_body_gets_a_problem_and_its_connection_is_closed(
    api: LiveService, sent: bytes, ends: bool, status: int
) -> None:
    begun = time.monotonic()
    with connection(api) as client:
        client.sendall(HEAD + sent)
        if ends:
            client.shutdown(socket.SHUT_WR)
        assert problem(received(client))["status"] == status
    assert status != 408 or time.monotonic() - begun >= TIMEOUT_S * 0.9


def test_the_time_is_for_the_whole_body_and_not_for_each_piece(api: LiveService) -> None:
    with connection(api) as client:
        client.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
        drip(client, b"x" * 999, every=TIMEOUT_S / 5)
        assert problem(received(client))["status"] == 408


def test_a_handler_that_does_not_look_at_a_failed_body_still_loses_the_connection(api: LiveService) -> None:
    with connection(api) as client:
        client.sendall(b"POST /blind HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n")
        status, headers, _ = parsed(received(client))
    assert (status, headers["connection"]) == (200, "close")


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET /readyz HTTP/1.1\r\nHost: t\r\n"])
def test_a_connection_whose_header_does_not_come_is_closed(api: LiveService, sent: bytes) -> None:
    begun = time.monotonic()
    with connection(api) as client:
        client.sendall(sent)
        assert received(client) == b""
    assert time.monotonic() - begun >= TIMEOUT_S * 0.9


def test_a_header_sent_byte_by_byte_has_no_more_time_than_any_other(api: LiveService) -> None:
    with connection(api) as client:
        drip(client, b"GET /readyz HTTP/1.1\r\nHost: " + b"t" * 1000, every=TIMEOUT_S / 5)
        with contextlib.suppress(ConnectionResetError):
            assert received(client) == b""


def test_an_idle_connection_is_kept_for_a_while_and_then_closed(api: LiveService) -> None:
    with connection(api) as client:
        begun = time.monotonic()
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n")
        assert parsed(received(client))[0] == 200
    assert time.monotonic() - begun >= KEEPALIVE_S * 0.9


def test_a_client_that_does_not_take_its_answer_loses_the_connection(api: LiveService) -> None:
    with connection(api) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
        connected = eventually(lambda: open_connections(api, client))
        eventually(lambda: not open_connections(api, client))
        assert connected


def open_connections(api: LiveService, client: socket.socket) -> bool:
    """Return whether the server's end of this connection is open (Linux: established, state 01)."""
    mine = client.getsockname()[1]
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = {(int(line[1].split(":")[1], 16), int(line[2].split(":")[1], 16)): line[3] for line in lines}
    return ends.get((api.port, mine)) == "01"


def test_requests_sent_at_once_are_answered_in_order(api: LiveService) -> None:
    with connection(api) as client:
        one = HEAD + b"Content-Length: 1\r\n\r\n"
        client.sendall(one + b"a" + one + b"b" + HEAD + b"Connection: close\r\nContent-Length: 1\r\n\r\nc")
        answers = received(client)
    assert [part.partition(b"\r\n\r\n")[2] for part in answers.split(b"HTTP/1.1 ")[1:]] == [b"a", b"b", b"c"]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /" + b"x" * 8200 + b" HTTP/1.1\r\nHost: t\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 65 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 9000 + b"\r\n\r\n", 431),
        (b"nonsense\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
    ],
)
def test_a_malformed_or_too_long_request_is_refused(api: LiveService, request_: bytes, status: int) -> None:
    with connection(api) as client:
        client.sendall(request_)
        assert parsed(received(client))[0] == status


def test_what_the_server_itself_refuses_is_a_problem_with_a_request_id_and_the_usual_headers(
    api: LiveService,
) -> None:
    token = "kozyr_" + "abcdefgh" * 4
    with connection(api) as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: t\r\nAuthorization Bearer {token}: x\r\n\r\n".encode())
        status, headers, body = parsed(received(client))
    document = json.loads(body)
    assert (status, document["status"], document["code"]) == (400, 400, "bad_request")
    assert len(document["request_id"]) == 20
    assert headers["x-request-id"] == document["request_id"]
    for name, value in of_data(behind_tls=False):
        assert headers[name.lower()] == value
    assert token not in body.decode()
    eventually(lambda: document["request_id"] in api.log("api"), "it has a line in the log")
    assert token not in api.log("api")
    assert "Traceback" not in body.decode()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A server for sixteen connections, with long timeouts."""
    settings = {"KOZYR_REDIS_URL": "redis://127.0.0.1:1/0", "KOZYR_CONNECTIONS": "16"}
    folder = tmp_path_factory.mktemp("small")
    with LiveService(folder, ["api"], settings=settings, commands={"api": COMMAND}) as service:
        yield service


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost:", HEAD + b"Content-Length: 9\r\n\r\nabc"])
def test_silent_connections_make_room_the_longest_silent_first(small: LiveService, begun: bytes) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connection(small)) for _ in range(60)]
        for client in clients:
            with contextlib.suppress(OSError):
                client.sendall(begun)
        for _ in range(5):
            assert httpx.get(small.url + "/readyz", timeout=60).status_code == 200
        with contextlib.suppress(ConnectionResetError):
            received(clients[0])
        youngest = clients[-1]
        youngest.setblocking(False)
        with pytest.raises(BlockingIOError):
            youngest.recv(1)


def test_connections_without_a_request_are_closed_before_others(small: LiveService) -> None:
    with connection(small) as known, contextlib.ExitStack() as stack:
        known.sendall(b"GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n")
        assert known.recv(65_536).startswith(b"HTTP/1.1 200")
        strangers = [stack.enter_context(connection(small)) for _ in range(60)]
        with contextlib.suppress(ConnectionResetError):
            received(strangers[0])
        known.sendall(b"GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n")
        assert known.recv(65_536).startswith(b"HTTP/1.1 200")


def waiting(api: LiveService) -> int:
    return int(httpx.get(api.url + "/readyz", timeout=60).json()["waiting"])


@pytest.fixture
def fresh(live_service: Callable[..., LiveService]) -> LiveService:
    """A server that waits long for what it has begun, so that a test notices a hang."""
    settings = {"KOZYR_REDIS_URL": "redis://127.0.0.1:1/0"}
    return live_service(["api"], settings=settings, commands={"api": [*COMMAND, "--graceful-timeout", "120"]})


def test_requests_whose_client_has_gone_are_dropped_and_their_moves_made(fresh: LiveService) -> None:
    (worker,) = fresh.api_workers()
    os.kill(worker, signal.SIGSTOP)
    try:
        for _ in range(5):
            leave_behind(fresh, b"GET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
            leave_behind(fresh, HEAD + b"Content-Length: 1\r\n\r\nx")
    finally:
        os.kill(worker, signal.SIGCONT)
    # The socket's backlog is first in, first out: this request comes after them.
    seen = eventually(lambda: (found := seen_by(fresh)).get("POST /echo abandoned", 0) == 5 and found)
    assert "GET /wait" not in seen
    with connection(fresh) as client:
        # The stopped worker later finds the request and the end of the connection together.
        os.kill(worker, signal.SIGSTOP)
        try:
            client.sendall(b"GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n")
            client.shutdown(socket.SHUT_WR)
        finally:
            os.kill(worker, signal.SIGCONT)
        assert received(client).startswith(b"HTTP/1.1 400 "), "a client that only stopped sending reads why"


def leave_behind(service: LiveService, request: bytes) -> None:
    """Send a request and close the connection."""
    with connection(service) as client:
        client.sendall(request)


def seen_by(service: LiveService) -> dict[str, int]:
    found: dict[str, int] = httpx.get(service.url + "/readyz", timeout=60).json()["seen"]
    return found


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_all_of_two_hundred_waiting_polls_are_answered_when_the_worker_stops(
    fresh: LiveService, number: signal.Signals
) -> None:
    old = fresh.api_workers()
    with ThreadPoolExecutor(200) as pool, fresh.http(limits=httpx.Limits(max_connections=None)) as client:
        polls = [pool.submit(client.get, "/wait") for _ in range(200)]
        eventually(lambda: waiting(fresh) == 200)
        fresh.signal("api", number)
        answers = [poll.result(timeout=60) for poll in polls]
    assert [answer.status_code for answer in answers] == [200] * 200
    assert all(answer.json()["closed"] for answer in answers)
    assert all(answer.headers["connection"] == "close" for answer in answers)
    if number is signal.SIGHUP:
        eventually(lambda: fresh.api_workers() and not set(old) & set(fresh.api_workers()))
        assert httpx.get(fresh.url + "/readyz", timeout=60).status_code == 200
    else:
        eventually(lambda: not fresh.running("api"))


def test_a_request_that_had_begun_when_the_worker_stops_is_answered(fresh: LiveService) -> None:
    request = b"GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n"
    with connection(fresh) as slow, connection(fresh) as poll:
        slow.sendall(request[:-2])
        poll.sendall(b"GET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
        eventually(lambda: waiting(fresh) == 1)
        fresh.signal("api", signal.SIGTERM)
        received(poll)
        slow.sendall(request[-2:])
        status, headers, _ = parsed(received(slow))
    assert (status, headers["connection"]) == (200, "close")


def test_idle_connections_do_not_hold_up_the_end(fresh: LiveService) -> None:
    with fresh.http() as client:
        client.get("/readyz")
        assert fresh.terminate("api", within=60) == 0


def test_a_flood_of_rubbish_writes_few_lines_and_hides_nothing(
    live_service: Callable[..., LiveService],
) -> None:
    settings = {"KOZYR_REDIS_URL": "redis://127.0.0.1:1/0", "KOZYR_API_WORKERS": "1"}
    service = live_service(["api"], settings=settings, commands={"api": COMMAND})
    for _ in range(40):
        with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
            client.sendall(RUBBISH)
            assert client.recv(100).startswith(b"HTTP/1.1 400 ")
    service.terminate("api")
    lines = [json.loads(line) for line in service.log("api").splitlines() if line.startswith("{")]
    # A request that looked whether the service is ready may have given up.
    refused = [line for line in lines if line["event"] == "refused" and "was closed" not in line["why"]]
    assert {(line["whom"], line["status"]) for line in refused} == {("127.0.0.1", 400)}
    reported = [line for line in lines if line["event"] == "requests refused"]
    assert len(refused) < 40
    assert len(refused) + sum(line["count"] - line["with_lines"] for line in reported) == 40
    assert not any("Invalid request" in line["event"] for line in lines)
