"""A consistent copy of a running Redis, over the network: the snapshot that Redis sends to a new replica.

It holds the data of one instant, while the service goes on. Loading it verifies its checksum.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, BinaryIO, Final

from redis.exceptions import RedisError

from redisio.address import client_for

TIMEOUT_S: Final = 60.0
"""The longest silence of Redis. While it prepares the snapshot, it sends a newline every second."""
_CHUNK: Final = 1 << 20
_CUT: Final = "Redis closed the connection before the snapshot was complete"


class SnapshotError(RuntimeError):
    """Redis sent no snapshot. The message says why."""


def fetch(url: str, path: Path) -> int:
    """Write a snapshot (RDB) of this server to a new file and flush it. Return its size. Raise `SnapshotError`."""
    with contextlib.closing(client_for(url, timeout=TIMEOUT_S)) as client:
        connection: Any = client.connection_pool.make_connection()
        try:
            connection.connect()  # with password and TLS
            connection._sock.sendall(b"SYNC\r\n")
            with connection._sock.makefile("rb") as stream:
                return _received(stream, path)
        except (OSError, RedisError) as error:
            raise SnapshotError(f"Redis sent no snapshot: {error}") from error
        finally:
            connection.disconnect()


def _received(stream: BinaryIO, path: Path) -> int:
    head = next((line.strip() for line in stream if line.strip()), b"")
    if not head:
        raise SnapshotError(_CUT)
    # Only to replicas that say they can read one, Redis sends a snapshot of unknown length (`$EOF:`).
    if not (head.startswith(b"$") and head[1:].isdigit()):
        raise SnapshotError(
            f"Redis refuses: {head.decode(errors='replace').lstrip('-')} (the user needs the right +sync)"
        )
    left = int(head[1:])
    with path.open("xb") as out:
        while left:
            piece = stream.read(min(left, _CHUNK))
            if not piece:
                raise SnapshotError(_CUT)
            out.write(piece)
            left -= len(piece)
        out.flush()
        os.fsync(out.fileno())
        return out.tell()
