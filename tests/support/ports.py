"""Free ports for the servers of tests."""

from __future__ import annotations

import random
import socket

FROM, TO = 15_000, 32_000
"""Below the ports that Linux and others give to outgoing connections, which start at 32,768 or later. A connection
could take one of those before its server binds it, or while the server restarts."""

_RANDOM = random.SystemRandom()  # Another process may have seeded the usual one with the same number.
_given: set[int] = set()


def free_port() -> int:
    """Return a free loopback port, a different one each time."""
    for _ in range(1_000):
        port = _RANDOM.randrange(FROM, TO)
        if port not in _given and _is_free(port):
            _given.add(port)
            return port
    raise OSError(f"no free port between {FROM} and {TO}")


def free_node_port() -> int:
    """Return a free port whose port 10,000 above is free as well; a cluster node needs both."""
    while True:
        port = free_port()
        if _is_free(port + 10_000):
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
