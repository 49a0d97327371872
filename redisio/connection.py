"""Round trips to Redis: many commands, one trip, counted.

`Redis` is the only thing that sends. All trips of a process share one connection by group commit: whoever comes
while a trip is under way waits for it and then all who wait go together, in one write (docs/adr). On a Redis
Cluster it uses redis-py's cluster pipeline. Scripts are sent by digest and loaded where a server does not know them (a
restarted server has forgotten them; nothing was executed then).
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Final, Generic, TypeVar

import redis
from hiredis import pack_command
from redis.exceptions import (
    BusyLoadingError,
    ClusterDownError,
    ClusterError,
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as LostConnection

T = TypeVar("T")
Command = tuple[Any, ...]


class Script:
    """A Lua script in a file of its own, with the files that it is prepended by."""

    def __init__(self, package: str, *files: str) -> None:
        """`files` are names in the package's `lua` folder, or `package:name` for a file of another package; the last
        one is the script itself and the others define what it calls."""
        self.text = "\n".join(_lua(package, name) for name in files)
        self.digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, keys: Sequence[str], *arguments: Any) -> Command:
        """The command that runs the script."""
        _SCRIPTS[self.digest] = self.text
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)


def _lua(package: str, name: str) -> str:
    where, _, file = name.rpartition(":")
    return (resources.files(where or package) / "lua" / file).read_text()


_SCRIPTS: Final[dict[str, str]] = {}


class NotServing(LostConnection):
    """Redis is there, but refuses: it loads its file, is full, is a replica, has lost its cluster … Whoever minds that
    Redis is away minds this in the same way, as redis-py has it with LOADING."""

    def __init__(self, error: RedisError) -> None:
        super().__init__(f"Redis can't do this at present: {error}")
        self.word = _word_of(error)
        """What Redis calls its state: `OOM`, `READONLY`, …"""


class StoreFull(NotServing):
    """Redis refuses a write because its memory or its disk is full."""


# redis-py keeps the word of a refusal in the class alone, and has no class for some. Inside of a script Redis 6.2 puts
# the word behind the script's name and line.
_WORDS: Final[Mapping[type[RedisError], str]] = {
    BusyLoadingError: "LOADING",
    ClusterDownError: "CLUSTERDOWN",
    MasterDownError: "MASTERDOWN",
    NoScriptError: "NOSCRIPT",
    OutOfMemoryError: "OOM",
    ReadOnlyError: "READONLY",
    TryAgainError: "TRYAGAIN",
}
_SAID_SO: Final = re.compile(
    r"(?:^|-)(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOREPLICAS|NOSCRIPT|OOM|READONLY|TRYAGAIN) "
)
_DISK_FULL: Final = "No space left on device"
"""How Redis ends its MISCONF when it can't append to its file."""


def _word_of(error: RedisError) -> str:
    """The word with which Redis refuses to serve at present; empty for an error that says nothing of its state."""
    found = _SAID_SO.search(str(error))
    return found[1] if found else _WORDS.get(type(error), "")


def _refusal(error: RedisError) -> NotServing:
    full = _word_of(error) == "OOM" or _DISK_FULL in str(error)
    return StoreFull(error) if full else NotServing(error)


def why_not(error: RedisError) -> str:
    """Why Redis does not serve, in words that name no address."""
    word = error.word if isinstance(error, NotServing) else _word_of(error)
    return f"Redis refuses to serve: {word}" if word else "Redis does not answer"


class Redis:
    """A connection to Redis for everything of ours; safe to share between greenlets and threads."""

    def __init__(self, url: str, *, cluster: bool = False, timeout: float = 5.0) -> None:
        """`url` as redis-py takes it (`unix://`, `redis://`, `rediss://`); `timeout` in seconds for one trip."""
        self.url = url
        self.round_trips = 0
        """Round trips that callers asked for so far, however many of them went together."""
        self.client: Any
        """redis-py's own client, for what is not on anybody's hot path."""
        self._cluster: Any = None
        if cluster:
            self.client = self._cluster = redis.RedisCluster.from_url(url, protocol=2, socket_timeout=timeout)
        else:
            self.client = redis.Redis.from_url(
                url, protocol=2, socket_timeout=timeout, socket_connect_timeout=timeout
            )
            self._line = _SharedConnection(self.client.connection_pool.make_connection())

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to these commands, sent in one trip; bytes undecoded, single commands' errors as values.

        Raises `redis.exceptions.ConnectionError` or `TimeoutError` when Redis is gone, and `NotServing` when it can't
        do one of them at present; which commands were executed is unknown then.
        """
        if not commands:
            return []
        answers = self._send(commands)
        forgotten = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if forgotten:
            for digest in {commands[index][1] for index in forgotten}:
                self._load(_SCRIPTS[digest])
            # A wake-up that was said before what it tells of would wake somebody to see nothing: it is said again.
            woken = [index for index, command in enumerate(commands) if command[0] == "PUBLISH"]
            late = sorted({*forgotten, *(index for index in woken if index > forgotten[0])})
            again = self._send([commands[index] for index in late])
            for index, answer in zip(late, again, strict=True):
                answers[index] = answer
        for answer in answers:
            if isinstance(answer, RedisError) and _word_of(answer):
                raise _refusal(answer)
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
        self.round_trips += 1
        if self._cluster is None:
            return self._line.run(commands)
        pipeline = self._cluster.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        try:
            answers: list[Any] = pipeline.execute(raise_on_error=False)
        except (ClusterError, RedisClusterException) as error:
            # No node that serves the slot; some of these are not even a RedisError.
            raise LostConnection(f"the cluster does not serve: {error}") from error
        return answers


class _Request:
    """Somebody's commands for the next trip, and where the answers arrive."""

    __slots__ = ("answers", "arrived", "commands", "drives", "error")

    def __init__(self, commands: Sequence[Command]) -> None:
        self.commands = commands
        self.answers: list[Any] = []
        self.error: BaseException | None = None
        self.drives = False
        self.arrived = threading.Lock()
        self.arrived.acquire()


class _SharedConnection:
    """One connection shared by group commit: one caller drives, the others' commands go along."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._waiting: list[_Request] = []
        self._under_way = False

    def run(self, commands: Sequence[Command]) -> list[Any]:
        me = _Request(commands)
        with self._lock:
            self._waiting.append(me)
            me.drives = not self._under_way
            self._under_way = True
        if not me.drives:
            try:
                me.arrived.acquire()
            except BaseException:
                self._leave(me)
                raise
        if me.drives:
            self._drive()
        if me.error is not None:
            raise me.error
        return me.answers

    def _leave(self, me: _Request) -> None:
        """Somebody was ended while waiting: whoever was to drive must not take the wheel along."""
        with self._lock:
            if me in self._waiting and not me.drives:
                self._waiting.remove(me)
        if me.drives:
            self._drive()

    def _drive(self) -> None:
        with self._lock:
            aboard, self._waiting = self._waiting, []
        try:
            self._trip(aboard)
        except BaseException as error:
            # Half a conversation may be left in the connection: nobody may read it as an answer.
            self._connection.disconnect()
            told = error if isinstance(error, RedisError) else LostConnection(f"the trip ended: {error!r}")
            for passenger in aboard:
                passenger.error = error if passenger.drives else told
        with self._lock:
            following = self._waiting[0] if self._waiting else None
            self._under_way = following is not None
            if following is not None:
                following.drives = True
        for passenger in aboard:
            if not passenger.drives:
                passenger.arrived.release()
        if following is not None:
            following.arrived.release()

    def _trip(self, aboard: list[_Request]) -> None:
        connection = self._connection
        if connection.is_connected and _spoken_to(connection):
            # Nothing is owed to us: the server hung up, or said goodbye. Begin anew before sending anything.
            connection.disconnect()
        packed = [pack_command(command) for passenger in aboard for command in passenger.commands]
        connection.send_packed_command([b"".join(packed)])
        for passenger in aboard:
            for _ in passenger.commands:
                try:
                    passenger.answers.append(connection.read_response())
                except ResponseError as error:
                    passenger.answers.append(error)


def _spoken_to(connection: Any) -> bool:
    try:
        return bool(connection.can_read())
    except RedisError:
        return True


def checked(answer: Any) -> Any:
    """The answer itself. Raises it if it is an error."""
    if isinstance(answer, RedisError):
        raise answer
    return answer


class Reply(Generic[T]):
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


class Pipeline:
    """Commands of several stores gathered for one round trip."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._commands: list[Command] = []
        self._asked: list[Reply[Any]] = []

    def ask(self, decode: Callable[[Any], T], command: Command) -> Reply[T]:
        """Add a command; its answer can be read after `go`."""
        asked = Reply(decode)
        self._commands.append(command)
        self._asked.append(asked)
        return asked

    def go(self) -> None:
        """Make the trip."""
        for asked, raw in zip(self._asked, self._redis.run(self._commands), strict=True):
            asked.arrived(raw)
        self._commands, self._asked = [], []
