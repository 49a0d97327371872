"""The client side of a WebSocket (RFC 6455), as far as the load generator needs it."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterator
from typing import Final

from bench.support.load import connect

FINAL: Final = 0x80
TEXT: Final = 0x1
BINARY: Final = 0x2
CLOSE: Final = 0x8
PING: Final = 0x9
PONG: Final = 0xA
NO_MASK: Final = bytes(4)
"""Every frame of a client carries a mask. With this one the payload stays as it is."""


class WebSocket:
    """A WebSocket to a port of the loopback. It takes no fragmented messages, which our peers don't send."""

    def __init__(self, port: int, path: str, kind: int) -> None:
        self.sock = connect(port)
        self._kind = kind
        self._taken = b""
        self._upgrade(path)

    def send(self, payload: bytes) -> None:
        """Send a message."""
        self.sock.sendall(frame(self._kind, payload))

    def available(self) -> list[bytes]:
        """Wait for bytes, and return the messages that are complete. Raise `RuntimeError` at the end.

        The answer to the upgrade may have brought the first message, which has no more bytes to wait for.
        """
        if first_frame(self._taken) is not None:
            return list(self._messages())
        piece = self.sock.recv(1 << 20)
        if not piece:
            raise RuntimeError("the server has closed a WebSocket")
        self._taken += piece
        return list(self._messages())

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()

    def _upgrade(self, path: str) -> None:
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        lines = (f"GET {path} HTTP/1.1", "Host: bench", "Connection: Upgrade", "Upgrade: websocket")
        head = "\r\n".join([*lines, f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""])
        self.sock.sendall(head.encode())
        while b"\r\n\r\n" not in self._taken:
            piece = self.sock.recv(1 << 16)
            if not piece:
                raise RuntimeError("the server has closed a connection")
            self._taken += piece
        answer, _, self._taken = self._taken.partition(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 101"):
            raise RuntimeError(answer.decode(errors="replace"))

    def _messages(self) -> Iterator[bytes]:
        while (found := first_frame(self._taken)) is not None:
            kind, payload, self._taken = found
            if kind == PING:
                self.sock.sendall(frame(PONG, payload))
            elif kind == CLOSE:
                raise RuntimeError(f"the server closes a WebSocket: {payload!r}")
            elif kind in (TEXT, BINARY):
                yield payload


def frame(kind: int, payload: bytes) -> bytes:
    """Return a client's frame."""
    length = len(payload)
    if length < 126:
        head = bytes((FINAL | kind, FINAL | length))
    elif length < 1 << 16:
        head = bytes((FINAL | kind, FINAL | 126)) + length.to_bytes(2, "big")
    else:
        head = bytes((FINAL | kind, FINAL | 127)) + length.to_bytes(8, "big")
    return head + NO_MASK + payload


def first_frame(taken: bytes) -> tuple[int, bytes, bytes] | None:
    """Return the kind and the payload of the first frame and the bytes after it, `None` if it is incomplete."""
    if len(taken) < 2:
        return None
    length, at = taken[1], 2
    if length >= 126:
        at = 4 if length == 126 else 10
        length = int.from_bytes(taken[2:at], "big")
    if len(taken) < at + length:
        return None
    return taken[0] & 0x0F, taken[at : at + length], taken[at + length :]
