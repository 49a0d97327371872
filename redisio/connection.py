"""Round trips to Redis: many commands in one write, counted.

All round trips of a process share one connection to the server (`redisio.server`), or one to each master of a Redis
Cluster (`redisio.cluster`). Scripts are sent by digest. A server that does not know a script, for example after a
restart, has executed nothing of it; the script is loaded there and sent again.

`scan` finds keys by pattern, on one server or on all masters of a cluster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

import redis
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as LateAnswer

from redisio.address import client_for
from redisio.cluster import Cluster
from redisio.errors import DEMOTED, OtherStore, WaitRefused, checked, error_word, not_serving
from redisio.scripts import Command
from redisio.server import Server, info_fields

WAKE_CHANNEL: Final = "kozyr:wake"
"""The pub/sub channel that wakes waiting polls in all API processes. A message is a list of match and bot ids,
separated by spaces, or a service state for everybody (`referee/polling/redis.py`). `commit_step.lua` publishes here as
well."""


_FAILURES: Final = (LostConnection, LateAnswer)

T = TypeVar("T")


class Redis:
    """The connection to Redis that everything but pub/sub and RQ uses. Safe to share between greenlets and threads."""

    def __init__(
        self, url: str, *, cluster: bool = False, timeout: float = 5.0, wait_replicas: int | None = 0
    ) -> None:
        """`url` is one that redis-py accepts (`unix://`, `redis://`, `rediss://`) or that of Sentinels
        (`redisio.hosts`); with `cluster` it names one or more nodes (`redisio.hosts`). `timeout` of a round
        trip is in seconds. With `wait_replicas`, a write is answered only once that number of replicas has it; `None`
        stands for 1 if the address is that of Sentinels or of a cluster with replicas, else for 0."""
        self.url, self._timeout = url, timeout
        self.round_trips = 0
        """Round trips that callers asked for, including those that shared one write."""
        self.other_store: str | None = None
        """Why this process must not use the data there (`OtherStore`); `None` if it may."""
        self.is_cluster = cluster
        kind = Cluster if cluster else Server
        self._servers: Cluster | Server = kind(url, timeout=timeout, wait_replicas=wait_replicas)

    def run(self, commands: Sequence[Command], *, partly: bool = False) -> list[Any]:
        """Send these commands in one round trip and return their answers: bytes, and errors of single commands as
        values. A cluster executes commands for different nodes in any order, but PUBLISH last.

        Raise `redis.exceptions.ConnectionError` or `TimeoutError` if Redis is away, and `NotServing` if it refuses to
        serve. Which commands were executed is then unknown. Raise `NotReplicated` if too few replicas have the writes.
        With `partly`, such an error of one node of a cluster is the answer to each of its commands instead; if the node
        lacks replicas, to each of its writes.
        """
        if not commands:
            return []
        answers = self._send(commands)
        for place, answer in enumerate(answers):
            if isinstance(answer, RedisError) and (failure := self._failure(answer)):
                if not partly:
                    raise failure
                answers[place] = failure
        return answers

    def all(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to these commands as `run` does. Raise the first error of a command."""
        return [checked(answer) for answer in self.run(commands)]

    def one(self, *command: Any) -> Any:
        """Return the answer to one command. Raise its error."""
        return checked(self.run([command])[0])

    def confirm(self) -> None:
        """With `wait_replicas`, return once that number of replicas of every master has all that was written so far.
        Raise what `run` raises."""
        if self.wait_replicas:
            # These writes are answered once the replicas have them, and with them everything before.
            self.all([("SET", key, b"") for key in self._servers.key_on_each("kozyr:confirmed")])

    def on_masters(self, *command: Any) -> list[Command]:
        """Return this command, which has no keys, for `run`: once for each master."""
        return self._servers.on_masters(*command)

    @property
    def wait_replicas(self) -> int:
        """How many replicas must have a write before it is answered. Raise what `run` raises if that depends on a
        cluster that is away."""
        return self._servers.wait_replicas

    @property
    def may_lose_writes(self) -> bool:
        """Whether a failover may lose answered writes: there are replicas, and no write waits for them."""
        return self._servers.replicated and not self.wait_replicas

    def replicas(self) -> dict[str, int]:
        """Return the number of connected replicas of each master, by its address, which is empty outside a cluster."""
        commands = self.on_masters("INFO", "replication")
        return {
            str(command[-1]) if len(command) > 2 else "": _connected(info_fields(answer))
            for command, answer in zip(commands, self.all(commands), strict=True)
        }

    @property
    def changes(self) -> int:
        """How often a connection was opened or other servers became masters. If the number has grown, a server may have
        restarted."""
        return self._servers.changes

    def runs(self) -> str:
        """Return the `run_id` of every master: another text after one has restarted or lost its role."""
        answers = self.all(self.on_masters("INFO", "server"))
        return " ".join(sorted(info_fields(answer)["run_id"] for answer in answers))

    def listening_client(self) -> redis.Redis:
        """Return a client for pub/sub. Its timeout is for connecting; a read of a message has a timeout of its own."""
        return client_for(self._servers.any_url(), timeout=self._timeout, connect_timeout=self._timeout)

    def close(self) -> None:
        self._servers.close()

    def _failure(self, answer: RedisError) -> RedisError | None:
        """Return the error to raise if a node could not serve, and `None` for an error in the command itself."""
        if isinstance(answer, WaitRefused):
            self._servers.reconnect()
        if isinstance(answer, _FAILURES):
            return answer
        word = error_word(answer)
        if word in DEMOTED:
            self._servers.reconnect()
        return not_serving(answer) if word else None

    def _send(self, commands: Sequence[Command]) -> list[Any]:
        if self.other_store is not None:
            raise OtherStore(self.other_store)
        self.round_trips += 1
        return self._servers.run(commands)


def _connected(replication: dict[str, str]) -> int:
    """Return the number of replicas that follow a master, of its section of INFO."""
    return sum(
        "state=online" in value for name, value in replication.items() if re.fullmatch(r"slave\d+", name)
    )


class Reply(Generic[T]):
    """The answer to a command of a `Pipeline`, available after `Pipeline.go`."""

    __slots__ = ("_decode", "_raw")

    def __init__(self, decode: Callable[[Any], T]) -> None:
        self._decode = decode
        self._raw: Any = None

    def arrived(self, raw: Any) -> None:
        self._raw = raw

    @property
    def answer(self) -> T:
        """The decoded answer. Raises the error of its command."""
        if isinstance(self._raw, RedisError):
            raise self._raw
        return self._decode(self._raw)


class Pipeline:
    """Commands of several stores gathered for one round trip."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._commands: list[Command] = []
        self._asked: list[Reply[Any]] = []

    def ask(self, decode: Callable[[Any], T], command: Command) -> Reply[T]:
        """Add a command. Its answer can be read after `go`."""
        reply = Reply(decode)
        self._commands.append(command)
        self._asked.append(reply)
        return reply

    def go(self, *, partly: bool = False) -> None:
        """Make the round trip. With `partly`, the replies of a node that fails raise its error (`Redis.run`)."""
        for reply, raw in zip(self._asked, self._redis.run(self._commands, partly=partly), strict=True):
            reply.arrived(raw)
        self._commands, self._asked = [], []


_COUNT: Final = 1000


def scan(redis: Redis, pattern: str) -> Iterator[list[str]]:
    """Yield the keys that match a pattern, in batches. A key that exists throughout comes once or more often."""
    for first in redis.on_masters("SCAN", 0, "MATCH", pattern, "COUNT", _COUNT):
        command = first
        while True:
            cursor, keys = redis.all([command])[0]
            if keys:
                yield [key.decode() for key in keys]
            if not int(cursor):
                break
            # At the same master, even if others are added.
            command = type(first)((first[0], cursor, *first[2:]))
