"""Round trips to Redis: many commands, one trip, counted.

`Redis` is the only thing that sends. It leases a raw connection of redis-py for a trip, sends all commands in
one write and reads the answers, which is less work a command than a pipeline object; on a Redis Cluster it uses
redis-py's cluster pipeline. Scripts are sent by digest and loaded where a server does not know them (a
restarted server has forgotten them; nothing was executed then).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any, Final, Generic, TypeVar

import redis
from redis.exceptions import NoScriptError, RedisError, ResponseError

T = TypeVar("T")
Command = tuple[Any, ...]


class Script:
    """A Lua script in a file of its own, with the files that it is prepended by."""

    def __init__(self, package: str, *files: str) -> None:
        folder = resources.files(package) / "lua"
        self.text = "\n".join((folder / name).read_text() for name in files)
        self.digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, keys: Sequence[str], *arguments: Any) -> Command:
        """The command that runs the script."""
        _SCRIPTS[self.digest] = self.text
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)


_SCRIPTS: Final[dict[str, str]] = {}


class Redis:
    """A connection to Redis for everything of ours; safe to share between greenlets and threads."""

    def __init__(
        self, url: str, *, cluster: bool = False, timeout: float = 5.0, connections: int = 512
    ) -> None:
        """`url` as redis-py takes it (`unix://`, `redis://`, `rediss://`); `timeout` in seconds."""
        self.url = url
        self.trips = 0
        """Round trips made so far, for the benchmark."""
        self._cluster: Any = None
        if cluster:
            self._cluster = redis.RedisCluster.from_url(url, protocol=2, socket_timeout=timeout)
            self.client: Any = self._cluster
        else:
            # A pool that waits when all are leased: a flood of requests queues instead of failing.
            self._pool = redis.BlockingConnectionPool.from_url(
                url,
                protocol=2,
                socket_timeout=timeout,
                socket_connect_timeout=timeout,
                max_connections=connections,
                timeout=timeout,
            )
            self.client = redis.Redis(connection_pool=self._pool)

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to these commands, sent in one trip; bytes undecoded, single commands' errors as values.

        Raises `redis.exceptions.ConnectionError` or `TimeoutError` when Redis is gone; whether commands were
        executed is unknown then.
        """
        answers = self._send(commands)
        forgotten = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if forgotten:
            for digest in {commands[index][1] for index in forgotten}:
                self._load(_SCRIPTS[digest])
            again = self._send([commands[index] for index in forgotten])
            for index, answer in zip(forgotten, again, strict=True):
                answers[index] = answer
        return answers

    def one(self, *command: Any) -> Any:
        """The answer to one command. Raises its error."""
        return checked(self.run([command])[0])

    def _load(self, text: str) -> None:
        if self._cluster is not None:
            self._cluster.script_load(text)
        else:
            self._send([("SCRIPT", "LOAD", text)])

    def _send(self, commands: Sequence[Command]) -> list[Any]:
        if not commands:
            return []
        self.trips += 1
        if self._cluster is not None:
            pipeline = self._cluster.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            answers: list[Any] = pipeline.execute(raise_on_error=False)
            return answers
        connection = self._pool.get_connection()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
        try:
            connection.send_packed_command(connection.pack_commands(commands))
            found: list[Any] = []
            for _ in commands:
                try:
                    found.append(connection.read_response())
                except ResponseError as error:
                    found.append(error)
            return found
        except BaseException:
            # Half a conversation may be left in it: never give it to anybody else.
            connection.disconnect()
            raise
        finally:
            self._pool.release(connection)  # type: ignore[no-untyped-call]  # as above


def checked(answer: Any) -> Any:
    """The answer itself. Raises it if it is an error."""
    if isinstance(answer, RedisError):
        raise answer
    return answer


class Asked(Generic[T]):
    """An answer that is there once its trip is made."""

    __slots__ = ("_decode", "_raw")

    def __init__(self, decode: Callable[[Any], T]) -> None:
        self._decode = decode
        self._raw: Any = None

    def arrived(self, raw: Any) -> None:
        """Called by the trip."""
        self._raw = raw

    @property
    def answer(self) -> T:
        """The decoded answer. Raises the error of its command."""
        return self._decode(checked(self._raw))


class Trip:
    """Commands of several stores gathered for one round trip."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._commands: list[Command] = []
        self._asked: list[Asked[Any]] = []

    def ask(self, decode: Callable[[Any], T], command: Command) -> Asked[T]:
        """Add a command; its answer can be read after `go`."""
        asked = Asked(decode)
        self._commands.append(command)
        self._asked.append(asked)
        return asked

    def go(self) -> None:
        """Make the trip."""
        for asked, raw in zip(self._asked, self._redis.run(self._commands), strict=True):
            asked.arrived(raw)
        self._commands, self._asked = [], []
