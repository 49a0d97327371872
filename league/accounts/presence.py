"""Presence: which bots are online, judged by their polls and moves. House bots always are.

A request makes its bot online for `ONLINE_MS`, or for the announced wait of a poll plus `MARGIN_MS`, if that is
longer. So a bot that disappears during a poll counts as online until the poll would have ended. Each process writes a
bot's presence at most every `NOTED_MS`, so polls and moves need no extra round trip.

A bot that leaves is not online. It is marked as leaving for the same time, or until a request makes it online.

Presence in Redis.

kozyr:online  zset  marks by the instant (ms) until which they hold: the id of a bot that is online, or `leaving ` and
                    the id. Each write removes expired ones
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from redisio.connection import Redis
from redisio.scripts import Script

ONLINE_MS: Final = 30_000
MARGIN_MS: Final = 5_000
NOTED_MS: Final = 5_000
_LEAVING: Final = "leaving "
"""Precedes the id of a bot that leaves, in the store."""
MOST_NOTED: Final = 10_000
"""For how many bots a process remembers its last write. Beyond that it forgets all."""

NOTE: Final = Script("league.accounts", "redisio:time.lua", "presence_note.lua")
OF: Final = Script("league.accounts", "redisio:time.lua", "presence_of.lua")

LONGEST_MS: Final = 605_000
"""For how long a mark holds at most: the longest wait that can be set, and the margin."""
_ONLINE: Final = "kozyr:online"


class Presence:
    """The bots that are online. Safe to share between greenlets and threads."""

    def __init__(
        self,
        redis: Redis,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], int] | None = None,
    ) -> None:
        """Marks end by the clock of Redis, or `clock` in tests."""
        self._redis, self._monotonic, self._clock = redis, monotonic, clock
        self._until: dict[str, float] = {}

    def seen(self, bot: str, wait_s: float = 0.0) -> None:
        """Record a request of a bot that waits up to `wait_s` for its response."""
        self._note(bot, _LEAVING + bot, wait_s)

    def leave(self, bot: str, wait_s: float = 0.0) -> None:
        """Record the same of a bot that finishes its matches and begins none."""
        self._note(_LEAVING + bot, bot, wait_s)

    def _note(self, mark: str, ended: str, wait_s: float) -> None:
        for_ms = max(ONLINE_MS, round(wait_s * 1000) + MARGIN_MS)
        until = self._monotonic() + for_ms / 1000
        if until < self._until.get(mark, 0.0) + NOTED_MS / 1000:
            return
        if len(self._until) >= MOST_NOTED:
            self._until.clear()
        self._until[mark] = until
        self._until.pop(ended, None)
        self._redis.one(*NOTE.call((_ONLINE,), self._given(), mark, for_ms, ended, LONGEST_MS))

    def online(self, bots: Sequence[str]) -> set[str]:
        """Return the ids of those of these remote bots that are online."""
        if not bots:
            return set()
        call = OF.call((_ONLINE,), self._given(), LONGEST_MS, *bots)
        return {mark.decode() for mark in self._redis.one(*call)}

    def everybody(self, most: int) -> list[str]:
        """Return the ids of up to `most` remote bots that are online, those that stay longest first."""
        marks = [mark.decode() for mark in self._redis.one("ZREVRANGE", _ONLINE, 0, most - 1)]
        holding = self.online([mark for mark in marks if not mark.startswith(_LEAVING)])
        return [mark for mark in marks if mark in holding]

    def leaving(self, bots: Sequence[str]) -> set[str]:
        marks = self.online([_LEAVING + bot for bot in bots])
        return {mark.removeprefix(_LEAVING) for mark in marks}

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()
