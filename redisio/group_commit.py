"""One connection for all callers of a process (docs/adr/0004-one-connection-by-group-commit.md).

A caller that arrives during a round trip waits for its end. Then one of the waiting callers sends the commands of all
of them in one write and hands out the answers.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

from hiredis import pack_command
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError, ResponseError

from redisio.errors import NotReplicated
from redisio.scripts import Command, writes

WAIT_MS: Final = 500
"""How long a round trip waits for replicas."""


class _QueuedRequest:
    """One caller's commands for the next round trip, and their answers."""

    __slots__ = ("answers", "arrived", "commands", "drives", "error")

    def __init__(self, commands: Sequence[Command]) -> None:
        self.commands = commands
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
        self._lock = threading.Lock()
        self._waiting: list[_QueuedRequest] = []
        self._under_way = False

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to these commands, errors of single commands as values. Raise `RedisError` if the
        round trip failed."""
        request = _QueuedRequest(commands)
        with self._lock:
            self._waiting.append(request)
            request.drives = not self._under_way
            self._under_way = True
        if not request.drives:
            try:
                request.arrived.acquire()
            except BaseException:
                self._leave(request)
                raise
        if request.drives:
            self._drive()
        if request.error is not None:
            raise request.error
        return request.answers

    def reconnect(self) -> None:
        """Open a new connection for the next round trip, since the server is no longer the master."""
        self._stale = True

    def _leave(self, request: _QueuedRequest) -> None:
        """Withdraw a caller that was killed while waiting. If it was chosen to drive, make the trip for the others."""
        with self._lock:
            if request in self._waiting and not request.drives:
                self._waiting.remove(request)
        if request.drives:
            self._drive()

    def _drive(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, []
        try:
            self._trip(batch)
        except BaseException as error:
            # Answers may be left in the connection: no later request may read them as its own.
            self._connection.disconnect()
            shared = error if isinstance(error, RedisError) else LostConnection(f"the trip ended: {error!r}")
            for request in batch:
                request.error = error if request.drives else shared
        with self._lock:
            following = self._waiting[0] if self._waiting else None
            self._under_way = following is not None
            if following is not None:
                following.drives = True
        for request in batch:
            if not request.drives:
                request.arrived.release()
        if following is not None:
            following.arrived.release()

    def _trip(self, batch: list[_QueuedRequest]) -> None:
        connection = self._connection
        if connection.is_connected and (self._stale or _has_input(connection)):
            # No answer is due, so the server has closed the connection or is about to: reconnect before sending.
            connection.disconnect()
        self._stale = False
        if not connection.is_connected:
            connection.connect()  # asks the Sentinels, which sending alone would not
        packed = [pack_command(command) for request in batch for command in request.commands]
        writing = self._writing(batch) if self._wait_replicas else []
        if writing:
            packed.append(pack_command(self._wait))
        connection.send_packed_command([b"".join(packed)])
        for request in batch:
            for _ in request.commands:
                try:
                    request.answers.append(connection.read_response())
                except ResponseError as error:
                    request.answers.append(error)
        if writing:
            confirmed = connection.read_response()
            if confirmed < self._wait_replicas:
                for request in writing:
                    request.error = NotReplicated(self._wait_replicas, confirmed)

    @staticmethod
    def _writing(batch: list[_QueuedRequest]) -> list[_QueuedRequest]:
        return [request for request in batch if any(writes(command) for command in request.commands)]


def _has_input(connection: Any) -> bool:
    try:
        return bool(connection.can_read())
    except RedisError:
        return True
