"""Attacks on a service by a malicious bot or an anonymous client. Each attack is a function of an `Attacker`.

Counts bound the attacks, not time. Each asserts the expected response, where there is one.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService

PATIENCE_S: Final = 60.0


class Answers:
    """The responses on one connection, in order."""

    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self._taken = b""

    def next(self) -> tuple[int, bytes] | None:
        """Return the status and body of the next response, or `None` if the connection closes before its end."""
        with contextlib.suppress(ConnectionError):
            while (end := self._taken.find(b"\r\n\r\n")) < 0:
                if not self._take():
                    return None
            head = self._taken[:end].lower()
            length = int(head[head.index(b"content-length:") + 15 :].split(b"\r\n", 1)[0])
            while len(self._taken) < end + 4 + length:
                if not self._take():
                    return None
            body, self._taken = self._taken[end + 4 : end + 4 + length], self._taken[end + 4 + length :]
            return int(head.split()[1]), body
        return None

    def _take(self) -> bool:
        piece = self.client.recv(65_536)
        self._taken += piece
        return bool(piece)


class Attacker:
    """A bot with its own match, and raw connections to the service. `size` scales every attack."""

    def __init__(self, service: LiveService, league: LiveLeague, size: int) -> None:
        self.service, self.size = service, size
        self.bot: LiveBot = league.bot("bad")
        # A flood takes as long as the machine needs, so the turn must not end meanwhile.
        clock = {"move_ms": 24 * 3_600_000, "bank_ms": 0}
        self.match = league.match([self.bot, "house/random"], deals=100, clock=clock)
        (self.turn,) = league.get("/v1/turns", self.bot.token, params={"wait": 30})["turns"]

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.service.port), timeout=PATIENCE_S)

    @contextlib.contextmanager
    def connections(self, number: int) -> Iterator[list[socket.socket]]:
        """Open this many connections."""
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(self.connect()) for _ in range(number)]

    def request(
        self, method: str, path: str, body: bytes = b"", *, token: str | None = "", more: Sequence[str] = ()
    ) -> bytes:
        """Return the bytes of a request, by default with the malicious bot's token."""
        lines = [f"{method} {path} HTTP/1.1", "Host: t", *more]
        if token is not None:
            lines.append(f"Authorization: Bearer {token or self.bot.token}")
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def statuses(self, requests: Sequence[bytes]) -> Counter[int]:
        """Send these requests in order, reconnecting whenever the connection closes.

        Return the number of responses by status; 0 counts connections that closed without a response.
        """
        found: Counter[int] = Counter()
        answers: Answers | None = None
        for data in requests:
            if answers is None:
                answers = Answers(self.connect())
            answer = None
            with contextlib.suppress(ConnectionError):
                answers.client.sendall(data)
                answer = answers.next()
            found[answer[0] if answer else 0] += 1
            if answer is None:
                answers.client.close()
                answers = None
        if answers is not None:
            answers.client.close()
        return found


def only(found: Counter[int], *statuses: int) -> None:
    """Assert that all responses have these statuses. A connection may also close, to make room for another."""
    assert set(found) <= {0, *statuses}, found


def moves_path(attacker: Attacker) -> str:
    return f"/v1/matches/{attacker.match}/moves"


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def silent(attacker: Attacker) -> None:
    """Connect and send nothing."""
    with attacker.connections(attacker.size) as clients:
        clients[-1].sendall(attacker.request("GET", "/healthz"))


def headers_without_end(attacker: Attacker) -> None:
    """Send headers without an end."""
    with attacker.connections(attacker.size) as clients:
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(b"GET /v1/turns HTTP/1.1\r\nHost: t\r\n")
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(b"X-More: again\r\n")


def slow_uploads(attacker: Attacker) -> None:
    """Announce a body and send one byte of it."""
    head = attacker.request("POST", "/v1/turns", b"{" + b" " * 99)[:-99]
    with attacker.connections(attacker.size) as clients:
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(head)


def endless_chunks(attacker: Attacker) -> None:
    """Send chunks without an end."""
    head = attacker.request(
        "POST", "/v1/turns", more=["Content-Type: application/json", "Transfer-Encoding: chunked"]
    )
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for _ in range(3):
        with attacker.connect() as client, contextlib.suppress(ConnectionError):
            client.sendall(head)
            with contextlib.suppress(ConnectionError):
                for _ in range(2000):
                    client.sendall(chunk)
            answer = Answers(client).next()
            assert answer is None or answer[0] == 413


def huge_bodies(attacker: Attacker) -> None:
    """Announce a body above the limit."""
    found = attacker.statuses(
        [
            attacker.request(
                "POST", "/v1/turns", more=["Content-Type: application/json", "Content-Length: 99999999999"]
            )
        ]
        * 20
    )
    only(found, 413)
    assert found[413], found


def refused_moves(attacker: Attacker) -> None:
    """Send malformed, illegal, stale and premature moves, and moves in unknown matches. Past the limit expect 429."""
    turn = attacker.turn["turn"]
    matches = [attacker.match, "17" + "a" * 26, "nothing"]
    moves = [
        {"match": match, "turn": number, "move": move}
        for match in matches
        for number in (1, turn, turn + 1000)
        for move in ("castle", "beat 6C 7C")
    ]
    requests = [attacker.request("POST", "/v1/turns", encoded({"moves": moves}))] * (attacker.size // 10)
    body = encoded({"turn": turn, "move": "castle"})
    requests += [attacker.request("POST", moves_path(attacker), body)] * attacker.size
    found = attacker.statuses(requests)
    assert found[429], found
    only(found, 200, 422, 429)


def replays(attacker: Attacker) -> None:
    """Repeat the same move, each time with a wait for the next turn."""
    move = attacker.turn["observation"]["legal_moves"][0]
    body = encoded({"turn": attacker.turn["turn"], "move": move})
    data = attacker.request("POST", moves_path(attacker) + "?wait=30", body)
    with attacker.connections(attacker.size) as clients:
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(data)


def polls(attacker: Attacker) -> None:
    """Poll for turns as fast as possible."""
    found = attacker.statuses([attacker.request("GET", "/v1/turns")] * attacker.size * 2)
    only(found, 200, 429)


def waiting_polls(attacker: Attacker) -> None:
    """Wait on as many connections as possible, then close them all."""
    with attacker.connections(attacker.size) as clients:
        since = json.loads(_answered(attacker, attacker.request("GET", "/v1/turns")) or b"{}").get("since")
        events = f"/v1/matches/{attacker.match}/events?after=1000000&wait=30"
        poll = attacker.request("GET", f"/v1/turns?wait=30&since={since}") if since else b""
        for number, client in enumerate(clients):
            with contextlib.suppress(ConnectionError):
                client.sendall(attacker.request("GET", events) if number % 2 or not poll else poll)


def reconnecting(attacker: Attacker) -> None:
    """Send a request and reset the connection before the response."""
    for number in range(attacker.size):
        with attacker.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(attacker.request("GET", "/v1/games") if number % 2 else b"POST /v1/turns HT")


def bad_tokens(attacker: Attacker) -> None:
    """Guess tokens."""
    found = attacker.statuses(
        [
            attacker.request("GET", "/v1/turns", token=f"kozyr_{number:032d}")
            for number in range(attacker.size * 2)
        ]
    )
    assert found[429], found
    only(found, 401, 429)


def monstrous_bodies(attacker: Attacker) -> None:
    """Send JSON that is expensive to parse: deep nesting, many names, huge numbers, duplicate names."""
    names = ",".join(f'"n{number:05d}":0' for number in range(18_000))
    bodies = [
        b"[" * 200_000,
        b'{"a":' * 30_000 + b"0" + b"}" * 30_000,
        f'{{{names},"n17999":1}}'.encode(),
        f'{{"moves": [{",".join(["{}"] * 80_000)}]}}'.encode(),
        b'{"wait": 1' + b"0" * 200_000 + b"}",
        b'{"wait": 1e' + b"9" * 200_000 + b"}",
        f'{{"game": "durak", "seats": [], {names}}}'.encode(),
    ]
    requests = [
        attacker.request("POST", path, body) for body in bodies for path in ("/v1/turns", "/v1/matches")
    ]
    found = attacker.statuses(requests * 3)
    only(found, 400, 422, 429)


def monstrous_queries(attacker: Attacker) -> None:
    """Send as many parameters as a request line can hold."""
    query = "&".join(f"p{number}={number}" for number in range(700))
    found = attacker.statuses([attacker.request("GET", f"/v1/matches?{query}")] * 50)
    only(found, 422, 429)


def bombs(attacker: Attacker) -> None:
    """Send small compressed bodies that expand to large ones."""
    body = gzip.compress(b" " * 50_000_000)
    data = attacker.request("POST", "/v1/turns", body, more=["Content-Encoding: gzip"])
    found = attacker.statuses([data] * 50)
    only(found, 415)


def smuggling(attacker: Attacker) -> None:
    """Send requests whose end is ambiguous (request smuggling). Expect a refusal, and no response to what follows."""
    hidden = attacker.request("POST", f"/v1/matches/{attacker.match}/resign", b"{}")
    head = "POST /v1/turns HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
    for lines in (
        f"Content-Length: {len(hidden) + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        f"Content-Length: 0\r\nContent-Length: {len(hidden)}\r\n\r\n",
        "Content-Length: +0\r\n\r\n",
        "Content-Length: 0, 0\r\n\r\n",
        "X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n",
    ):
        with attacker.connect() as client:
            with contextlib.suppress(ConnectionError):
                client.sendall((head + lines).encode() + hidden)
            answers = Answers(client)
            first = answers.next()
            assert first is None or first[0] in {400, 501}, (lines, first)
            assert answers.next() is None, lines


def pipelining(attacker: Attacker) -> None:
    """Send requests without reading the responses."""
    data = attacker.request("GET", "/healthz") * 200 + attacker.request("GET", "/openapi.json") * 5
    with attacker.connections(max(4, attacker.size // 20)) as clients:
        for client in clients:
            client.settimeout(1.0)
            with contextlib.suppress(OSError):
                client.sendall(data)


def creations(attacker: Attacker) -> None:
    """Create matches that nobody plays."""
    body = encoded({"game": "durak", "seats": [attacker.bot.name, None]})
    found = attacker.statuses([attacker.request("POST", "/v1/matches", body)] * attacker.size)
    only(found, 201, 409, 429)
    assert found[429], found


def _answered(attacker: Attacker, data: bytes) -> bytes | None:
    with attacker.connect() as client, contextlib.suppress(ConnectionError):
        client.sendall(data)
        answer = Answers(client).next()
        return answer[1] if answer else None
    return None


ATTACKS: Final[Sequence[Callable[[Attacker], None]]] = (
    silent,
    headers_without_end,
    slow_uploads,
    endless_chunks,
    huge_bodies,
    refused_moves,
    replays,
    polls,
    waiting_polls,
    reconnecting,
    bad_tokens,
    monstrous_bodies,
    monstrous_queries,
    bombs,
    smuggling,
    pipelining,
    creations,
)
