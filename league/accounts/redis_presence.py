"""Presence in Redis.

kozyr:online  zset  marks by the instant (ms) until which they hold: the id of a bot that is online, or `leaving ` and
                    the id. Each write removes expired ones
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from redisio.connection import Redis
from redisio.scripts import Script

NOTE: Final = Script("league.accounts", "redisio:time.lua", "presence_note.lua")
OF: Final = Script("league.accounts", "redisio:time.lua", "presence_of.lua")

LONGEST_MS: Final = 605_000
"""For how long a mark holds at most: the longest wait that can be set, and the margin."""
_ONLINE: Final = "kozyr:online"


class RedisPresenceStore:
    """The store of marks of bots: that they are online, or leave. Its clock is Redis's, or `clock` in tests."""

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis, self._clock = redis, clock

    def note(self, mark: str, for_ms: int, *, ended: str) -> None:
        """Store a mark for at least `for_ms` from now. It replaces a mark that has `ended`."""
        self._redis.one(*NOTE.call((_ONLINE,), self._given(), mark, for_ms, ended, LONGEST_MS))

    def online(self, marks: Sequence[str]) -> set[str]:
        """Return those of the marks that hold."""
        call = OF.call((_ONLINE,), self._given(), LONGEST_MS, *marks)
        return {mark.decode() for mark in self._redis.one(*call)}

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()
