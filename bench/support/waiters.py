"""Bots that wait for a turn."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Final
from unittest.mock import patch

from bench.support.bench_matches import BenchMatches
from bench.support.load import connect, request
from server.config.settings import load
from server.container import Container
from tests.support.live import LiveService
from tests.support.waiting import eventually

WAITING: Final = {"KOZYR_MAX_WAIT_S": "600", "KOZYR_CONNECTIONS": "16384"}
"""The settings of a service whose polls wait as long as a measurement lasts."""
OPENING_S: Final = 300.0


def many_bots(service: LiveService, owner: str, number: int) -> list[str]:
    """Create this many bots of a new owner and return their tokens. It bypasses the API, which would take minutes."""
    with patch.dict("os.environ", service.environment):
        container = Container(load())
    account, _ = container.accounts.create_owner(owner)
    tokens = [container.accounts.create_bot(account.id, f"{owner}-{each}")[1] for each in range(number)]
    container.redis.close()
    return tokens


def waiting_poll(service: LiveService, token: str, wait: float = 590) -> socket.socket:
    """Send a poll that waits, and return its connection."""
    sock = connect(service.port)
    sock.sendall(request("GET", f"/v1/turns?wait={wait:g}", token))
    return sock


def waiting_polls(service: LiveService, tables: BenchMatches, tokens: Sequence[str]) -> list[socket.socket]:
    """Let these bots wait, and return their connections once all of them do."""
    before = tables.metric("kozyr_waiting_polls")
    sockets = [waiting_poll(service, token) for token in tokens]
    eventually(lambda: tables.metric("kozyr_waiting_polls") >= before + len(tokens), within=OPENING_S)
    return sockets
