"""A single Redis, or the master that Sentinels name, with one shared connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redis.exceptions import NoScriptError

from redisio.address import client_for
from redisio.group_commit import SharedConnection
from redisio.hosts import sentinel_address
from redisio.scripts import Command, script_text


class Server:
    """One server at a time. Safe to share between greenlets and threads."""

    def __init__(self, url: str, *, timeout: float, wait_replicas: int | None) -> None:
        self.replicated = sentinel_address(url) is not None
        """Whether the server should have replicas: Sentinels watch over it."""
        self.wait_replicas = int(self.replicated) if wait_replicas is None else wait_replicas
        """How many replicas must have a write before it is answered."""
        self._url = url
        self._pool = client_for(url, timeout=timeout, connect_timeout=timeout).connection_pool
        connection = self._pool.make_connection()
        connection.register_connect_callback(self._opened)  # type: ignore[no-untyped-call]  # redis-py's
        self._line = SharedConnection(connection, self.wait_replicas)
        self.changes = 0
        """How often the connection was opened."""

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to these commands, errors of single commands as values, `NotReplicated` among them. Raise
        `RedisError` if the round trip failed."""
        answers = self._line.run(commands)
        unknown = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if unknown:
            digests = dict.fromkeys(commands[index][1] for index in unknown)
            loads: list[Command] = [("SCRIPT", "LOAD", script_text(digest)) for digest in digests]
            # A wake-up published before the script has run wakes pollers too early: publish it again.
            published = [index for index, command in enumerate(commands) if command[0] == "PUBLISH"]
            late = sorted({*unknown, *(index for index in published if index > unknown[0])})
            again = self._line.run([*loads, *(commands[index] for index in late)])[len(loads) :]
            for index, answer in zip(late, again, strict=True):
                answers[index] = answer
        return answers

    def on_masters(self, *command: Any) -> list[Command]:
        """Return this command: there is one master."""
        return [command]

    def key_on_each(self, prefix: str) -> list[str]:
        """Return this key: there is one master."""
        return [prefix]

    def any_url(self) -> str:
        """Return the address."""
        return self._url

    def reconnect(self) -> None:
        """Open a new connection for the next round trip, since the server is no longer the master."""
        self._line.reconnect()

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def _opened(self, _: Any) -> None:
        self.changes += 1


def info_fields(answer: bytes) -> dict[str, str]:
    """Return the fields of an answer to INFO or CLUSTER INFO."""
    lines = (line.partition(":") for line in answer.decode().splitlines())
    return {name: value for name, colon, value in lines if colon}
