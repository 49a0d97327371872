"""Heartbeats of the service's processes, and how far service time may run by them.

Service time passes only while every bot can move. So the API's heartbeat reaches as far as *all* API processes are
known to serve. A process that freezes or dies stops every clock, because nobody knows which bots waited at it. The
stop is bounded: a frozen process holds service time for `held_ms` at most, and by then gunicorn has killed it. A
process that ended holds it for a few seconds, so that its bots can connect to another.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

PROMPT_MS: Final = 350
"""A heartbeat of the API that is younger raises no question (`SLACK_MS` of lua/clock.lua)."""
REPORT_MS: Final = 3_000
"""The same of the other kinds, which send one a second."""
RETURN_LEAST_MS: Final = 1_000
RETURN_MOST_MS: Final = 5_000
"""How long the bots of a process that ended have to come back. Within these bounds it is as long as the process had
been silent, because a client's pauses between retries grow with the outage; 5 s is the longest pause of ours."""


class ProcessKind(enum.StrEnum):
    """What a process does."""

    API = "api"
    CLOCK = "clock"
    WORKER = "worker"


class Process(NamedTuple):
    """A running process. `token` tells it from an earlier one with the same process id."""

    kind: ProcessKind
    pid: int
    token: str
    host: str

    @property
    def name(self) -> str:
        """Its name in heartbeats, logs and metrics."""
        return f"{self.kind}-{self.pid}-{self.token}"


class Heartbeat(NamedTuple):
    """The last heartbeat of a process, as of a look at all of them."""

    process: Process
    age_ms: int
    served_ms_ago: int | None
    """When it last served; `None` for a process that has not begun to, or does not serve bots at all."""


class Attendance:
    """Decides how far the API is known to serve, and which heartbeats belong to processes that ended."""

    def __init__(self, me: Process, held_ms: int, exists: Callable[[int], bool]) -> None:
        """`exists` tells whether a process of this host runs, by its process id."""
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
        """The names of processes that ended and hold nothing any more."""
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
