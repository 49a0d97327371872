"""Round trips to Redis: many commands in one write, counted.

All round trips of a process share one connection (`redisio.group_commit`). On a Redis Cluster they use redis-py's
cluster pipeline. Scripts are sent by digest. A server that does not know a script, for example after a restart, has
executed nothing of it; the script is loaded there and sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import redis
from redis.exceptions import ClusterError, NoScriptError, RedisClusterException, RedisError
from redis.exceptions import ConnectionError as LostConnection

from redisio.address import client_for
from redisio.errors import DEMOTED, checked, error_word, not_serving
from redisio.group_commit import SharedConnection
from redisio.scripts import Command, script_text

T = TypeVar("T")


class Redis:
    """The connection to Redis that everything but pub/sub and RQ uses. Safe to share between greenlets and threads."""

    def __init__(
        self, url: str, *, cluster: bool = False, timeout: float = 5.0, wait_replicas: int = 0
    ) -> None:
        """`url` is one that redis-py accepts (`unix://`, `redis://`, `rediss://`) or that of Sentinels
        (`redisio.sentinel`); `timeout` of a round trip is in seconds. With `wait_replicas`, a write is answered only
        once that number of replicas has it; a cluster does not support this."""
        self.url, self.cluster = url, cluster
        self.round_trips = 0
        """Round trips that callers asked for, including those that shared one write."""
        self.client: Any
        """redis-py's client, for code off the hot path."""
        self._cluster: Any = None
        if cluster:
            self.client = self._cluster = redis.RedisCluster.from_url(url, protocol=2, socket_timeout=timeout)
        else:
            self.client = client_for(url, timeout=timeout, connect_timeout=timeout)
            self._line = SharedConnection(self.client.connection_pool.make_connection(), wait_replicas)

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Send these commands in one round trip and return their answers: bytes, and errors of single commands as
        values.

        Raise `redis.exceptions.ConnectionError` or `TimeoutError` if Redis is away, and `NotServing` if it refuses to
        serve. Which commands were executed is then unknown. Raise `NotReplicated` if too few replicas have the writes.
        """
        if not commands:
            return []
        answers = self._send(commands)
        unknown = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if unknown:
            for digest in {commands[index][1] for index in unknown}:
                self._load(script_text(digest))
            # A wake-up published before the script has run wakes pollers too early: publish it again.
            published = [index for index, command in enumerate(commands) if command[0] == "PUBLISH"]
            late = sorted({*unknown, *(index for index in published if index > unknown[0])})
            again = self._send([commands[index] for index in late])
            for index, answer in zip(late, again, strict=True):
                answers[index] = answer
        for answer in answers:
            if isinstance(answer, RedisError) and (word := error_word(answer)):
                if word in DEMOTED and self._cluster is None:
                    self._line.reconnect()
                raise not_serving(answer)
        return answers

    def listening_client(self) -> redis.Redis:
        """Return a client for pub/sub. Its connection has no timeout, because an idle channel is no error."""
        return client_for(self.url, timeout=None)

    def one(self, *command: Any) -> Any:
        """Return the answer to one command. Raise its error."""
        return checked(self.run([command])[0])

    def _load(self, text: str) -> None:
        if self._cluster is not None:
            self._cluster.script_load(text)
        else:
            self._send([("SCRIPT", "LOAD", text)])

    def _send(self, commands: Sequence[Command]) -> list[Any]:
        self.round_trips += 1
        if self._cluster is None:
            return self._line.run(commands)
        pipeline = self._cluster.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        try:
            answers: list[Any] = pipeline.execute(raise_on_error=False)
        except (ClusterError, RedisClusterException) as error:
            # No node serves the slot. Some of these classes are not a RedisError.
            raise LostConnection(f"the cluster does not serve: {error}") from error
        return answers


class Reply(Generic[T]):
    """The answer to a command of a `Pipeline`, available after `Pipeline.go`."""

    __slots__ = ("_decode", "_raw")

    def __init__(self, decode: Callable[[Any], T]) -> None:
        self._decode = decode
        self._raw: Any = None

    def arrived(self, raw: Any) -> None:
        """Store the raw answer."""
        self._raw = raw

    @property
    def answer(self) -> T:
        """The decoded answer. Raises the error of its command."""
        return self._decode(checked(self._raw))


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

    def go(self) -> None:
        """Make the round trip."""
        for reply, raw in zip(self._asked, self._redis.run(self._commands), strict=True):
            reply.arrived(raw)
        self._commands, self._asked = [], []
