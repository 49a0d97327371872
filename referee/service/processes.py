"""Heartbeats of the service's processes, and how far they let service time run.

Service time passes only while every bot can move. So it runs up to the last heartbeat by which *all* API processes
served. A process that freezes or dies stops every clock, because its bots can't reach the service. The stop is bounded:
a frozen process stops service time for at most `held_ms`, and gunicorn has killed it by then. A process that ended
stops it for a few seconds, so that its bots can connect to another one.

kozyr:{service}:processes  hash  by name (`kind-pid-token`) `beat served host` (lua/process_beat.lua)
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from redisio.connection import Redis
from redisio.scripts import Script

PROMPT_MS: Final = 350
"""How old the heartbeat of a live API process may be (`SLACK_MS` of lua/clock.lua)."""
REPORT_MS: Final = 3_000
"""How old it may be for other processes, which send one every second."""
RETURN_LEAST_MS: Final = 1_000
RETURN_MOST_MS: Final = 5_000
"""Bounds on the time that bots of an ended process have to reconnect.

Between them it is as long as the process had been silent, because clients pause longer between retries as an outage
lasts. Our client pauses for 5 s at most."""


class ProcessKind(enum.StrEnum):
    API = "api"
    CLOCK = "clock"
    WORKER = "worker"


class Process(NamedTuple):
    """A running process. `token` distinguishes it from an earlier one with the same process id."""

    kind: ProcessKind
    pid: int
    token: str
    host: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.pid}-{self.token}"


class Heartbeat(NamedTuple):
    """The last heartbeat of a process, at the time of a read of all heartbeats."""

    process: Process
    age_ms: int
    served_ms_ago: int | None
    """How long ago it last served bots; `None` if it hasn't begun to, or never serves any."""


class ProcessRoster:
    """Decides since when all API processes have served, and which processes have ended."""

    def __init__(self, me: Process, held_ms: int, exists: Callable[[int], bool]) -> None:
        """`exists` returns whether a process with this id runs on this host."""
        self._me, self._held_ms, self._exists = me, held_ms, exists
        self._ended: dict[str, tuple[int, int]] = {}

    def late_ms(self, heartbeats: Sequence[Heartbeat], at_ms: int) -> int:
        """Return how long ago the slowest API process that still counts served. `at_ms` is monotonic time."""
        return max(
            (
                beat.served_ms_ago
                for beat in heartbeats
                if beat.served_ms_ago is not None and self._counts(beat, at_ms)
            ),
            default=0,
        )

    def ended(self, heartbeats: Sequence[Heartbeat], at_ms: int) -> list[str]:
        """Return the names of ended processes that no longer stop service time."""
        return [
            beat.process.name
            for beat in heartbeats
            if self._has_ended(beat) and not self._counts(beat, at_ms)
        ]

    def _counts(self, beat: Heartbeat, at_ms: int) -> bool:
        silent = beat.served_ms_ago
        if silent is None:
            return False
        if not self._has_ended(beat):
            self._ended.pop(beat.process.name, None)
            return silent <= self._held_ms
        allowed = min(max(silent, RETURN_LEAST_MS), RETURN_MOST_MS)
        noticed, allowed = self._ended.setdefault(beat.process.name, (at_ms, allowed))
        return at_ms - noticed < allowed

    def _has_ended(self, beat: Heartbeat) -> bool:
        process = beat.process
        prompt = PROMPT_MS if process.kind is ProcessKind.API else REPORT_MS
        if beat.age_ms <= prompt or process.host != self._me.host or process == self._me:
            return False
        return process.pid == self._me.pid or not self._exists(process.pid)


PROCESS_BEAT: Final = Script("referee.service", "process_beat.lua")
PROCESSES_KEY: Final = "kozyr:{service}:processes"


class RedisProcesses:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def heartbeat(self, process: Process, *, serves: bool = False) -> list[Heartbeat]:
        """Record that this process runs, and with `serves` that it serves bots. Returns all heartbeats."""
        call = PROCESS_BEAT.call((PROCESSES_KEY,), process.name, process.host, int(serves))
        now, *heartbeats = self._redis.one(*call)
        return [
            _heartbeat(name, value, int(now))
            for name, value in zip(heartbeats[::2], heartbeats[1::2], strict=True)
        ]

    def heartbeats(self) -> list[Heartbeat]:
        fields, time = self._redis.all([("HGETALL", PROCESSES_KEY), ("TIME",)])
        now = int(time[0]) * 1000 + int(time[1]) // 1000
        return [_heartbeat(name, value, now) for name, value in zip(fields[::2], fields[1::2], strict=True)]

    def leave(self, names: Sequence[str]) -> None:
        if names:
            self._redis.one("HDEL", PROCESSES_KEY, *names)


# A heartbeat that lies ahead was sent before Redis's clock was set back: it is not new.
def _heartbeat(name: Any, value: Any, now: int) -> Heartbeat:
    kind, pid, token = name.decode().split("-", 2)
    beat, served, host = value.decode().split(" ", 2)
    return Heartbeat(
        Process(ProcessKind(kind), int(pid), token, host),
        abs(now - int(beat)),
        None if served == "-" else abs(now - int(served)),
    )
