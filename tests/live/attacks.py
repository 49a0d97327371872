"""What a bad bot, or somebody who is no bot at all, can do to a service: each attack is a function of an `Attacker`.

They are bounded by counts, not by time, and each asserts the answer that it has coming where there is one.
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
    """The answers that come on one connection, read one after the other."""

    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self._taken = b""

    def next(self) -> tuple[int, bytes] | None:
        """Status and body of the next answer; `None` if the connection ends before it is whole."""
        with contextlib.suppress(ConnectionError):
            while (end := self._taken.find(b"\r\n\r\n")) < 0:
                if not self._take():
                    return None
            progress = self._taken[:end].lower()
            length = int(progress[progress.index(b"content-length:") + 15 :].split(b"\r\n", 1)[0])
            while len(self._taken) < end + 4 + length:
                if not self._take():
                    return None
            body, self._taken = self._taken[end + 4 : end + 4 + length], self._taken[end + 4 + length :]
            return int(progress.split()[1]), body
        return None

    def _take(self) -> bool:
        piece = self.client.recv(65_536)
        self._taken += piece
        return bool(piece)


class Attacker:
    """A bot with a match of its own, and raw connections to the service. `size` is how much there is of everything."""

    def __init__(self, service: LiveService, league: LiveLeague, size: int) -> None:
        self.service, self.size = service, size
        self.bot: LiveBot = league.bot("bad")
        self.match = league.match([self.bot, "house/random"], deals=100)
        (self.turn,) = league.get("/v1/turns", self.bot.token, params={"wait": 30})["turns"]

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.service.port), timeout=PATIENCE_S)

    @contextlib.contextmanager
    def connections(self, number: int) -> Iterator[list[socket.socket]]:
        """So many at once."""
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(self.connect()) for _ in range(number)]

    def request(
        self, method: str, path: str, body: bytes = b"", *, token: str | None = "", more: Sequence[str] = ()
    ) -> bytes:
        """The bytes of a request, with the bad bot's token unless there is another, or none."""
        lines = [f"{method} {path} HTTP/1.1", "Host: t", *more]
        if token is not None:
            lines.append(f"Authorization: Bearer {token or self.bot.token}")
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def statuses(self, requests: Sequence[bytes]) -> Counter[int]:
        """Send these one after the other, on a new connection whenever one is closed; the answers by status, 0 for
        a connection that was closed without one."""
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
    """Nothing else was answered. A connection may have been closed instead, to make room for another."""
    assert set(found) <= {0, *statuses}, found


def moves_path(attacker: Attacker) -> str:
    return f"/v1/matches/{attacker.match}/moves"


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def silent(attacker: Attacker) -> None:
    """Connects, and says nothing."""
    with attacker.connections(attacker.size) as clients:
        clients[-1].sendall(attacker.request("GET", "/healthz"))


def headers_without_end(attacker: Attacker) -> None:
    """Begins its headers, and goes on for ever."""
    with attacker.connections(attacker.size) as clients:
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(b"GET /v1/turns HTTP/1.1\r\nHost: t\r\n")
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(b"X-More: again\r\n")


def slow_uploads(attacker: Attacker) -> None:
    """Announces a body, and sends a byte of it."""
    progress = attacker.request("POST", "/v1/turns", b"{" + b" " * 99)[:-99]
    with attacker.connections(attacker.size) as clients:
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(progress)


def endless_chunks(attacker: Attacker) -> None:
    """Sends chunk after chunk."""
    progress = attacker.request(
        "POST", "/v1/turns", more=["Content-Type: application/json", "Transfer-Encoding: chunked"]
    )
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for _ in range(3):
        with attacker.connect() as client, contextlib.suppress(ConnectionError):
            client.sendall(progress)
            with contextlib.suppress(ConnectionError):
                for _ in range(2000):
                    client.sendall(chunk)
            answer = Answers(client).next()
            assert answer is None or answer[0] == 413


def huge_bodies(attacker: Attacker) -> None:
    """Announces more than is taken."""
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
    """Moves that are none, illegal, stale, to come, or of matches that there are not: past the limit it is told 429."""
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
    """The same move again and again, each time waiting for what comes next."""
    move = attacker.turn["observation"]["legal_moves"][0]
    body = encoded({"turn": attacker.turn["turn"], "move": move})
    data = attacker.request("POST", moves_path(attacker) + "?wait=30", body)
    with attacker.connections(attacker.size) as clients:
        for client in clients:
            with contextlib.suppress(ConnectionError):
                client.sendall(data)


def polls(attacker: Attacker) -> None:
    """Asks for its turns as fast as it can."""
    found = attacker.statuses([attacker.request("GET", "/v1/turns")] * attacker.size * 2)
    only(found, 200, 429)


def waiting_polls(attacker: Attacker) -> None:
    """Waits on as many connections as it can get; then hangs up on all of them."""
    with attacker.connections(attacker.size) as clients:
        since = json.loads(_answered(attacker, attacker.request("GET", "/v1/turns")) or b"{}").get("since")
        events = f"/v1/matches/{attacker.match}/events?after=1000000&wait=30"
        poll = attacker.request("GET", f"/v1/turns?wait=30&since={since}") if since else b""
        for number, client in enumerate(clients):
            with contextlib.suppress(ConnectionError):
                client.sendall(attacker.request("GET", events) if number % 2 or not poll else poll)


def reconnecting(attacker: Attacker) -> None:
    """Connects, asks, and resets the connection before the answer."""
    for number in range(attacker.size):
        with attacker.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(attacker.request("GET", "/v1/games") if number % 2 else b"POST /v1/turns HT")


def bad_tokens(attacker: Attacker) -> None:
    """Guesses tokens."""
    found = attacker.statuses(
        [
            attacker.request("GET", "/v1/turns", token=f"kozyr_{number:032d}")
            for number in range(attacker.size * 2)
        ]
    )
    assert found[429], found
    only(found, 401, 429)


def monstrous_bodies(attacker: Attacker) -> None:
    """JSON that is dear to read: deep, full of names, of numbers without end, of the same name twice."""
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
    """As many parameters as a request line holds."""
    query = "&".join(f"p{number}={number}" for number in range(700))
    found = attacker.statuses([attacker.request("GET", f"/v1/matches?{query}")] * 50)
    only(found, 422, 429)


def bombs(attacker: Attacker) -> None:
    """Little bodies that would be large if they were unpacked."""
    body = gzip.compress(b" " * 50_000_000)
    data = attacker.request("POST", "/v1/turns", body, more=["Content-Encoding: gzip"])
    found = attacker.statuses([data] * 50)
    only(found, 415)


def smuggling(attacker: Attacker) -> None:
    """Requests that two servers could take for two different ones: each is refused, and nothing behind it is heard."""
    hidden = attacker.request("POST", f"/v1/matches/{attacker.match}/resign", b"{}")
    progress = "POST /v1/turns HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
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
                client.sendall((progress + lines).encode() + hidden)
            answers = Answers(client)
            first = answers.next()
            assert first is None or first[0] in {400, 501}, (lines, first)
            assert answers.next() is None, lines


def pipelining(attacker: Attacker) -> None:
    """Sends request after request and takes no answer."""
    data = attacker.request("GET", "/healthz") * 200 + attacker.request("GET", "/openapi.json") * 5
    with attacker.connections(max(4, attacker.size // 20)) as clients:
        for client in clients:
            client.settimeout(1.0)
            with contextlib.suppress(OSError):
                client.sendall(data)


def creations(attacker: Attacker) -> None:
    """Makes matches that nobody plays."""
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
