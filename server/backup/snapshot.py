"""A consistent copy of a running Redis, over the network: the snapshot that Redis sends to a new replica.

It holds the data of one instant, while the service goes on. Loading it verifies its checksum.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, Final

from redis.exceptions import RedisError

from redisio.address import client_for

TIMEOUT_S: Final = 60.0
"""The longest silence of Redis. While it prepares the snapshot, it sends a newline every second."""
_CHUNK: Final = 1 << 20
_MARK: Final = 40
"""The length of the random mark at the end of a snapshot of unknown length."""


class SnapshotError(RuntimeError):
    """Redis sent no snapshot. The message says why."""


def fetch(url: str, path: Path) -> int:
    """Write a snapshot (RDB) of this server to a new file and flush it. Return its size. Raise `SnapshotError`."""
    with contextlib.closing(client_for(url, timeout=TIMEOUT_S)) as client:
        connection: Any = client.connection_pool.make_connection()
        try:
            connection.connect()  # with password and TLS
            return _received(_Stream(connection._sock), path)
        except (OSError, RedisError) as error:
            raise SnapshotError(f"Redis sent no snapshot: {error}") from error
        finally:
            connection.disconnect()


class _Stream:
    """The bytes that follow on a socket."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._rest = socket, b""

    def send(self, request: bytes) -> None:
        self._socket.sendall(request)

    def some(self, most: int = _CHUNK) -> bytes:
        """Return the next bytes, at least one. Raise `SnapshotError` at the end."""
        got = self._rest or self._socket.recv(_CHUNK)
        if not got:
            raise SnapshotError("Redis closed the connection before the snapshot was complete")
        self._rest = got[most:]
        return bytes(got[:most])

    def line(self) -> bytes:
        """Return the next line that is not empty."""
        read = b""
        while True:
            byte = self.some(1)
            if byte != b"\n":
                read += byte
            elif read.strip():
                return read.strip()


def _received(stream: _Stream, path: Path) -> int:
    stream.send(b"SYNC\r\n")
    head = stream.line()
    if not head.startswith(b"$"):
        raise SnapshotError(
            f"Redis refuses: {head.decode(errors='replace').lstrip('-')} (the user needs the right +sync)"
        )
    with path.open("xb") as out:
        if head.startswith(b"$EOF:"):
            _until_mark(stream, head[5:], out)
        else:
            left = int(head[1:])
            while left:
                got = stream.some(min(left, _CHUNK))
                out.write(got)
                left -= len(got)
        out.flush()
        os.fsync(out.fileno())
        return out.tell()


def _until_mark(stream: _Stream, mark: bytes, out: Any) -> None:
    """Write everything before the mark, which ends the snapshot."""
    held = b""
    while not held.endswith(mark):
        held += stream.some()
        if len(held) > _MARK:
            out.write(held[:-_MARK])
            held = held[-_MARK:]
