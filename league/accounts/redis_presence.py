"""Presence in Redis.

kozyr:online  zset  bot ids by the instant (ms) until which they are online; each write removes expired ones
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from redisio.connection import Redis
from redisio.scripts import Script

NOTE: Final = Script("league.accounts", "redisio:time.lua", "presence_note.lua")
OF: Final = Script("league.accounts", "redisio:time.lua", "presence_of.lua")

_ONLINE: Final = "kozyr:online"


class RedisPresenceStore:
    """`PresenceStore` in Redis. Its clock is Redis's, or `clock` in tests."""

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis, self._clock = redis, clock

    def note(self, bot: str, for_ms: int) -> None:
        self._redis.one(*NOTE.call((_ONLINE,), self._given(), bot, for_ms))

    def online(self, bots: Sequence[str]) -> set[str]:
        return {bot.decode() for bot in self._redis.one(*OF.call((_ONLINE,), self._given(), *bots))}

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()
