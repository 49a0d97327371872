"""A light HTTP/1.1 load generator with keep-alive connections: one thread, one selector, no HTTP library."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

Next = Callable[[bytes | None], bytes]
"""Returns the next request, given the body of the last response (`None` at first)."""


def connect(port: int) -> socket.socket:
    """Return a connection to this port of the loopback that sends at once."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def request(method: str, path: str, token: str | None = None, body: bytes = b"") -> bytes:
    """Return the bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Load:
    """Open connections, each with its own sequence of requests."""

    def __init__(self, url: str, dialogues: Sequence[Next]) -> None:
        port = urlsplit(url).port
        assert port is not None
        self._selector = selectors.DefaultSelector()
        self._connections = []
        self.answered = 0
        """Responses of the last run."""
        self.latencies: list[float] = []
        """The latency of each, in seconds."""
        for dialogue in dialogues:
            sock = connect(port)
            self._selector.register(sock, selectors.EVENT_READ, connection := _Connection(sock, dialogue))
            self._connections.append(connection)

    def run(self, seconds: float) -> float:
        """Run for about `seconds` and return responses per second. Raise `RuntimeError` for a status other than 2xx."""
        self.latencies = []
        for connection in self._connections:
            connection.send()
        start = time.perf_counter()
        answered = 0
        open_requests = len(self._connections)
        while open_requests:
            stopping = time.perf_counter() - start >= seconds
            for key, _ in self._selector.select(1.0):
                if key.data.receive():
                    answered += 1
                    self.latencies.append(time.perf_counter() - key.data.sent)
                    if stopping:
                        open_requests -= 1
                    else:
                        key.data.send()
        self.answered = answered
        return answered / (time.perf_counter() - start)

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.sock.close()
        self._selector.close()


class _Connection:
    def __init__(self, sock: socket.socket, dialogue: Next) -> None:
        self.sock, self._dialogue = sock, dialogue
        self._body: bytes | None = None
        self._taken = b""
        self.sent = 0.0

    def send(self) -> None:
        self.sent = time.perf_counter()
        self.sock.sendall(self._dialogue(self._body))

    def receive(self) -> bool:
        """Read available bytes. Return whether the response is complete."""
        piece = self.sock.recv(1 << 20)
        if not piece:
            raise RuntimeError("the service has closed a connection")
        self._taken += piece
        progress, found, rest = self._taken.partition(b"\r\n\r\n")
        if not found:
            return False
        low = progress.lower()
        at = low.index(b"content-length:") + 15
        length = int(low[at:].split(b"\r\n", 1)[0])
        if len(rest) < length:
            return False
        if not progress.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(self._taken[:2000].decode(errors="replace"))
        self._body, self._taken = rest[:length], rest[length:]
        return True
