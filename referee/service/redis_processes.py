"""Heartbeats of processes in Redis.

kozyr:{service}:processes  hash  by name (`kind-pid-token`) `beat served host` (lua/process_beat.lua)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.service.processes import Heartbeat, Process, ProcessKind

PROCESS_BEAT: Final = Script("referee.service", "process_beat.lua")
PROCESSES_KEY: Final = "kozyr:{service}:processes"


class RedisProcesses:
    """The heartbeats of all processes in Redis."""

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
        """Return all heartbeats."""
        fields, time = (
            checked(answer) for answer in self._redis.run([("HGETALL", PROCESSES_KEY), ("TIME",)])
        )
        now = int(time[0]) * 1000 + int(time[1]) // 1000
        return [_heartbeat(name, value, now) for name, value in zip(fields[::2], fields[1::2], strict=True)]

    def leave(self, names: Sequence[str]) -> None:
        """Remove the heartbeats of processes that ended."""
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
