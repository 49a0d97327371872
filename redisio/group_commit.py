"""One connection to a server for all callers of a process (docs/adr/0004-one-connection-by-group-commit.md).

A caller that arrives during a round trip waits for its end. Then one of the waiting callers sends the commands of all
of them in one write and hands out the answers. If the server stays silent until the timeout, all who wait by then get
the error, so that nobody waits longer than one timeout.

A caller with commands for several servers drives the round trip of one of them at most. A short-lived helper thread
makes the trips that no caller can make. So a server that hangs delays only the callers that need it.

A caller may be impatient (`patience`): then a helper thread makes its trips, and the caller goes on without an answer
when its time is over. The trip itself goes on, so the other callers lose nothing.
"""

from __future__ import annotations

import threading
import time
from _thread import start_new_thread
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import Any, Final

from hiredis import pack_command
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as LateAnswer

from redisio.errors import NotReplicated, NotSent, WaitRefused, is_refusal
from redisio.scripts import Command, writes

WAIT_MS: Final = 500
"""How long a round trip waits for replicas."""
LATE_S: Final = 2.0
"""How long a write may take that waits for replicas. A master that was silent for longer may have been replaced, while
a replica that has not heard of it confirms writes. The Sentinels' `down-after-milliseconds` must be longer."""

_IDLE_S: Final = 0.05
"""How long after its last answer the connection is checked before it is used again. The check costs a system call."""


class _Patience:
    """How long each trip of a caller may take, in seconds: no time at all after one that took too long."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


_PATIENCE: Final[ContextVar[_Patience | None]] = ContextVar("patience", default=None)


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Let this caller's trips raise `redis.exceptions.TimeoutError` after `seconds`. The server may have executed their
    commands, or may yet do so."""
    before = _PATIENCE.set(_Patience(seconds))
    try:
        yield
    finally:
        _PATIENCE.reset(before)


class QueuedRequest:
    """One caller's commands for the next round trip, and their answers."""

    __slots__ = ("answers", "arrived", "commands", "drives", "error", "may_drive")

    def __init__(self, commands: Sequence[Command], *, may_drive: bool) -> None:
        self.commands = commands
        self.may_drive = may_drive
        """Whether this caller waits for nothing else."""
        self.answers: list[Any] = []
        self.error: BaseException | None = None
        self.drives = False
        """Whether this caller makes the round trip for the others."""
        self.arrived = threading.Lock()
        self.arrived.acquire()


class SharedConnection:
    """A connection shared by group commit. Safe to share between greenlets and threads."""

    def __init__(self, connection: Any, wait_replicas: int = 0) -> None:
        """A round trip that writes ends when `wait_replicas` replicas have its writes."""
        self._connection = connection
        self._wait_replicas = wait_replicas
        self._wait: Command = ("WAIT", wait_replicas, WAIT_MS)
        self._stale = False
        self._closed = False
        self._lock = threading.Lock()
        self._waiting: list[QueuedRequest] = []
        self._under_way = False
        self._answered = -_IDLE_S
        self._began = inf

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to these commands, errors of single commands as values. The answer to a write that too
        few replicas confirmed is `NotReplicated`. Raise `RedisError` if the round trip failed."""
        if _PATIENCE.get() is not None:
            return self.finish(self.begin(commands))
        request = QueuedRequest(commands, may_drive=True)
        with self._lock:
            self._waiting.append(request)
            request.drives = not self._under_way
            self._under_way = True
        if not request.drives:
            self._await(request)
        if request.drives:
            self._drive()
        if request.error is not None:
            raise request.error
        return request.answers

    def begin(self, commands: Sequence[Command]) -> QueuedRequest:
        """Queue these commands and return at once. The caller must `finish` the request."""
        request = QueuedRequest(commands, may_drive=False)
        with self._lock:
            self._waiting.append(request)
            idle = not self._under_way
            self._under_way = True
        if idle:
            start_new_thread(self._drive, ())
        return request

    def finish(self, request: QueuedRequest) -> list[Any]:
        """Wait for the answers to a request that was begun. Return and raise what `run` does."""
        self._await(request)
        if request.error is not None:
            raise request.error
        return request.answers

    def reconnect(self) -> None:
        """Open a new connection for the next round trip, since the server is no longer the master."""
        self._stale = True

    @property
    def closed(self) -> bool:
        return self._closed

    def lasts(self, seconds: float) -> bool:
        return time.monotonic() - self._began > seconds

    def close(self, *, if_idle: bool = False) -> bool:
        """Refuse all later commands with `NotSent`, and end the current round trip with an error. With `if_idle`, do
        nothing during a round trip. Return whether the connection is closed."""
        with self._lock:
            if if_idle and self._under_way:
                return False
            self._closed = True
        self._connection.disconnect()
        return True

    def _await(self, request: QueuedRequest) -> None:
        limit = _PATIENCE.get()
        try:
            arrived = request.arrived.acquire(timeout=-1 if limit is None else limit.seconds)
        except BaseException:
            self._leave(request)
            raise
        if not arrived and limit is not None:
            self._leave(request)
            limit.seconds = 0.0
            raise LateAnswer("the caller waits no longer")

    def _leave(self, request: QueuedRequest) -> None:
        """Withdraw a caller that waits no longer. If it was chosen to drive, make the trip for the others."""
        with self._lock:
            if request in self._waiting and not request.drives:
                self._waiting.remove(request)
        if request.drives:
            self._drive()

    def _drive(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, []
        try:
            if batch:
                self._trip(batch)
        except BaseException as error:
            # Answers may be left in the connection: no later request may read them as its own.
            self._connection.disconnect()
            if isinstance(error, LateAnswer):
                with self._lock:
                    batch, self._waiting = [*batch, *self._waiting], []
            shared = error if isinstance(error, RedisError) else LostConnection(f"the trip ended: {error!r}")
            own = shared if self._closed and isinstance(error, Exception) else error
            for request in batch:
                request.error = own if request.drives else shared
        self._began = inf
        if self._closed:
            self._connection.disconnect()
        with self._lock:
            following = next((request for request in self._waiting if request.may_drive), None)
            self._under_way = bool(self._waiting)
            if following is not None:
                following.drives = True
            elif self._waiting:
                start_new_thread(self._drive, ())
        # Before the other waiters, so that Redis works while they handle their answers.
        if following is not None:
            following.arrived.release()
        for request in batch:
            if not request.drives:
                request.arrived.release()

    def _trip(self, batch: list[QueuedRequest]) -> None:
        if self._closed:
            raise NotSent
        connection = self._connection
        self._began = time.monotonic()
        is_idle = self._began - self._answered > _IDLE_S
        if connection.is_connected and (self._stale or (is_idle and _has_input(connection))):
            # No answer is due, so the server has closed the connection or is about to: reconnect before sending.
            connection.disconnect()
        self._stale = False
        if not connection.is_connected:
            connection.connect()  # asks the Sentinels, which sending alone would not
        packed = [pack_command(command) for request in batch for command in request.commands]
        writing = self._writing(batch) if self._wait_replicas else []
        if writing:
            packed.append(pack_command(self._wait))
        sent = time.monotonic()
        connection.send_packed_command([b"".join(packed)])
        for request in batch:
            for _ in request.commands:
                try:
                    request.answers.append(connection.read_response())
                except ResponseError as error:
                    request.answers.append(error)
        if writing:
            self._read_confirmation(writing)
        self._answered = time.monotonic()
        if self._wait_replicas and self._answered - sent > LATE_S:
            self._stale = True  # the Sentinels know whether this is still the master
            why = "the write took so long that the master may have been replaced; it may be lost"
            _refuse(writing, NotReplicated(why))

    def _read_confirmation(self, writing: list[QueuedRequest]) -> None:
        """Read the answer to WAIT, and refuse the writes that it does not confirm."""
        try:
            confirmed = self._connection.read_response()
        except ResponseError as refusal:
            if is_refusal(refusal):
                raise
            _refuse(writing, WaitRefused(f"the server can't confirm the write; it may be lost: {refusal}"))
            return
        if confirmed < self._wait_replicas:
            why = f"{confirmed} of {self._wait_replicas} replicas have confirmed the write; it may be lost"
            _refuse(writing, NotReplicated(why))

    @staticmethod
    def _writing(batch: list[QueuedRequest]) -> list[QueuedRequest]:
        return [request for request in batch if any(writes(command) for command in request.commands)]


def _refuse(requests: Sequence[QueuedRequest], error: NotReplicated) -> None:
    """Make this the answer to each write that the server has executed."""
    for request in requests:
        for place, command in enumerate(request.commands):
            if writes(command) and not isinstance(request.answers[place], RedisError):
                request.answers[place] = error


def _has_input(connection: Any) -> bool:
    try:
        return bool(connection.can_read())
    except RedisError:
        return True
