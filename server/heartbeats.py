"""Heartbeats of our processes, and reports of what they log as errors.

An API process serves from the moment at which the API answers a request promptly: a request of its own, which waits in
the listening socket's backlog behind all that came before. Until then its heartbeat reports that it runs, and moves no
clock. The same holds after it stood still for a second or more, because a backlog has grown meanwhile.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from typing import Final

from redis.exceptions import RedisError

from redisio.connection import Redis
from redisio.errors import NotServing, why_not
from referee.service.errors import RedisErrors
from referee.service.processes import Heartbeat, Process, ProcessKind, ProcessRoster, RedisProcesses
from referee.service.readiness import KnownState
from referee.storage.redis import RedisMatchStore
from server.logs.structured import LOGGED

STOOD_STILL_S: Final = 1.0
"""After a gap of this length between heartbeats, a process must answer a request before it serves again."""
LONGEST_GATE_S: Final = 10.0
"""After this time a process serves even if it answers slowly. Otherwise a flood of requests would stop all clocks."""
REPORT_EVERY_S: Final = 1.0
"""How often the clock and the workers send a heartbeat."""
HOLD_MARGIN_MS: Final = 10_000
"""How much longer than its timeout a silent API process holds the clocks. gunicorn takes up to three seconds to kill
it, and bots take up to five to reconnect."""

log = logging.getLogger(__name__)


def this_process(kind: ProcessKind) -> Process:
    """Return an identity for the calling process, with a new token."""
    host = socket.gethostname().replace(" ", "_") or "unknown"
    return Process(kind, os.getpid(), secrets.token_hex(3), host)


def hidden_host() -> str:
    """Return a label for this machine that does not reveal its name: eight hexadecimal digits."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def process_exists(pid: int) -> bool:
    """Return whether this machine has a process with this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def beats_here(redis: Redis, kind: str, silent_s: float) -> bool:
    """Return whether a process of this kind on this host has sent a heartbeat in the last `silent_s` seconds. True
    while Redis is away."""
    here = this_process(ProcessKind(kind)).host
    try:
        heartbeats = RedisProcesses(redis).heartbeats()
    except RedisError:
        return True
    return any(
        heartbeat.process.kind == kind
        and heartbeat.process.host == here
        and heartbeat.age_ms <= silent_s * 1000
        for heartbeat in heartbeats
    )


class HeartbeatSender:
    """Sends the heartbeats of one API process, and remembers those of the others."""

    def __init__(
        self,
        me: Process,
        processes: RedisProcesses,
        matches: RedisMatchStore,
        *,
        answers: Callable[[], bool],
        timeout_s: float,
        exists: Callable[[int], bool] = process_exists,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`answers` sends the API a request and returns whether the answer was prompt. gunicorn kills a process that
        has stood still for `timeout_s` seconds."""
        self._me, self._processes, self._matches = me, processes, matches
        self._answers, self._monotonic = answers, monotonic
        self._attendance = ProcessRoster(me, round(timeout_s * 1000) + HOLD_MARGIN_MS, exists)
        self._serves = False
        self._gated_since = self._began = self._seen_at = monotonic()
        self._seen: list[Heartbeat] = []
        self._fault: RedisError | None = None

    def heartbeat(self) -> int:
        """Send a heartbeat. Return the ms credited to running clocks, usually 0, or -1 if none runs. Raise
        `RedisError`."""
        try:
            credited = self._beat()
        except RedisError as error:
            self._fault = error
            raise
        self._fault = None
        return credited

    def leave(self) -> None:
        """Withdraw the heartbeat before the process ends."""
        self._processes.leave([self._me.name])

    def vitals(self) -> KnownState:
        """Return the state of Redis and of all processes by the last heartbeat. Makes no round trip."""
        since = self._monotonic() - self._seen_at
        aged = [
            heartbeat._replace(
                age_ms=heartbeat.age_ms + round(since * 1000),
                served_ms_ago=None
                if heartbeat.served_ms_ago is None
                else heartbeat.served_ms_ago + round(since * 1000),
            )
            for heartbeat in self._seen
        ]
        if self._fault is None:
            return KnownState(heartbeats=aged)
        return KnownState(why_not(self._fault), isinstance(self._fault, NotServing), aged)

    def _beat(self) -> int:
        began, self._began = self._began, self._monotonic()
        if self._began - began >= STOOD_STILL_S:
            self._close_gate()
        seen = self._processes.heartbeat(self._me, serves=self._serves)
        now = self._monotonic()
        self._seen, self._seen_at = seen, now
        if now - self._began >= STOOD_STILL_S:
            self._close_gate()
        at_ms = round(now * 1000)
        late_ms = self._attendance.late_ms(seen, at_ms)
        self._processes.leave(self._attendance.ended(seen, at_ms))
        if self._serves:
            return self._matches.heartbeat(late_ms)
        if self._may_serve(now):
            self._serves = True
            return self._beat()
        return 0

    def _close_gate(self) -> None:
        self._serves, self._gated_since = False, self._monotonic()

    def _may_serve(self, now: float) -> bool:
        if self._answers():
            return True
        if now - self._gated_since < LONGEST_GATE_S:
            return False
        log.warning("the API has not answered promptly for %s s; clocks run anyway", LONGEST_GATE_S)
        return True


class Pulse:
    """The heartbeat of a process that serves no bots: the clock, or a worker."""

    def __init__(
        self,
        me: Process,
        processes: RedisProcesses,
        monotonic: Callable[[], float] = time.monotonic,
        also: Callable[[], object] = lambda: None,
    ) -> None:
        """Call `also` after each heartbeat."""
        self._me, self._processes, self._also, self._monotonic = me, processes, also, monotonic
        self._next = monotonic()

    def heartbeat(self) -> None:
        """Send a heartbeat if the last one is a second old. Raise `RedisError`."""
        if self._monotonic() >= self._next:
            self._processes.heartbeat(self._me)
            self._also()
            self._next = self._monotonic() + REPORT_EVERY_S

    def keep_beating(self, stop: threading.Event) -> None:
        """Send heartbeats until `stop` is set. Meant for a thread."""
        while not stop.wait(REPORT_EVERY_S / 4):
            try:
                self.heartbeat()
            except RedisError as error:
                log.debug("the heartbeat did not reach Redis: %s", error)

    def leave(self) -> None:
        """Withdraw the heartbeat before the process ends. An absent Redis is logged, not raised."""
        try:
            self._processes.leave([self._me.name])
        except RedisError as error:
            log.debug("could not withdraw the heartbeat: %s", error)


def report_errors(errors: RedisErrors, process: Process) -> None:
    """Report the errors of this process since the last report. While Redis is away they are kept for the next one."""
    try:
        LOGGED.send(lambda found: errors.add(process.name, found))
    except RedisError as error:
        log.debug("the errors did not reach Redis: %s", error)
