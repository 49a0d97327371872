"""The state of the service in Redis.

    kozyr:{service}:state  hash  `state`, `since` (ms), `reason`; `decision`, a number that grows with every change, and
                                 `settled`, the last decision that every clock follows; `announcement`

A change writes the decision first, then sets every bucket's clock, then marks the decision as settled and wakes all
waiters. A process that dies in between leaves an unsettled decision, and the next heartbeat of any process completes
it. A clock ignores older decisions after a newer one, so the order of these writes doesn't matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from redis.exceptions import RedisError

from redisio.connection import WAKE_CHANNEL, Redis
from redisio.scripts import Command, Script
from referee.service.state import ServiceState, ServiceStatus, Space
from referee.storage.redis import EVERYBODY, RedisMatchStore

CHANGE: Final = Script("referee.service", "service_change.lua")

_KEY: Final = "kozyr:{service}:state"
_FIELDS: Final = ("state", "since", "reason", "decision", "settled", "announcement")
RESERVED_BYTES: Final = 16 << 20
RESERVED_PART: Final = 0.05
"""The space below `maxmemory` that running matches need to end: the larger of both, at most half of it."""
LAST_PART: Final = 0.5
"""The part of that space that is for running matches alone."""
_MEMORY: Final = re.compile(rb"^(used_memory|maxmemory):(\d+)\r?$", re.MULTILINE)


class RedisService:
    def __init__(
        self, redis: Redis, store: RedisMatchStore, disk: Callable[[], Space] = lambda: Space.AMPLE
    ) -> None:
        """`disk` returns the space on the disk of Redis, if this process can see it."""
        self._redis, self._store, self._disk = redis, store, disk
        self.seen = ServiceStatus()
        """The last status that this process saw in a heartbeat or stored itself."""

    def status(self) -> ServiceStatus:
        read = ("HMGET", _KEY, *_FIELDS)
        masters = self._redis.on_masters("INFO", "memory")
        try:
            state, *memory = self._redis.all([read, *masters])
        except RedisError:
            if len(masters) == 1:
                raise
            # Another master than that of the state may be down.
            state, memory = self._redis.one(*read), [self._memory(master) for master in masters]
        return _status(state)._replace(space=max(self._disk(), *map(space_of, memory)))

    def change(self, state: ServiceState, reason: str) -> ServiceStatus:
        """Put the service into this state, and tell every clock and every waiting poll.

        The same state again changes nothing, except that it completes a change that another process left half done.
        """
        self.seen = self._settle(_status(self._redis.one(*CHANGE.call((_KEY,), state.value, reason))))
        return self.seen

    def announce(self, text: str) -> ServiceStatus:
        """Store what the operators tell everybody, or nothing for an empty text."""
        self._redis.one("HSET", _KEY, "announcement", text)
        return self.keep()

    def keep(self) -> ServiceStatus:
        """Complete a change that another process left half done, and return the status. Heartbeats call it."""
        self.seen = status = self.status()
        return status if status.settled else self._settle(status)

    def _memory(self, command: Command) -> bytes:
        """Return the section of INFO of one master, empty if it does not answer."""
        try:
            return bytes(self._redis.all([command])[0])
        except RedisError:
            return b""

    def _settle(self, status: ServiceStatus) -> ServiceStatus:
        if status.decision:
            self._store.pause(status.state is ServiceState.PAUSED, status.decision)
            self._redis.one("HSET", _KEY, "settled", status.decision)
            self._redis.one("PUBLISH", WAKE_CHANNEL, f"{EVERYBODY} {status.decision} {status.state.value}")
        return status._replace(settled=True)


def space_of(memory: bytes) -> Space:
    """Return the space of a server with this section of INFO."""
    found = {name: int(number) for name, number in _MEMORY.findall(memory)}
    most = found.get(b"maxmemory", 0)
    reserved = min(max(RESERVED_BYTES, most * RESERVED_PART), most / 2)
    if most == 0 or found[b"used_memory"] <= most - reserved:
        return Space.AMPLE
    return Space.LAST if found[b"used_memory"] > most - reserved * LAST_PART else Space.SCARCE


def _status(raw: list[Any]) -> ServiceStatus:
    state, since, reason, decision, settled, announcement = raw
    told = (announcement or b"").decode()
    if state is None:
        return ServiceStatus(announcement=told)
    return ServiceStatus(
        ServiceState(state.decode()),
        int(since),
        reason.decode(),
        int(decision),
        int(settled or 0) >= int(decision),
        announcement=told,
    )
