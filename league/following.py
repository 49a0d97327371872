"""The bots that an owner follows on the site.

kozyr:{following}:OWNER  zset  the ids of the bots by the instant (ms) at which the owner began to follow them
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from redisio.connection import Redis

MOST_FOLLOWED: Final = 50
"""How many bots an owner follows. One more replaces the first."""
_KEY: Final = "kozyr:{following}:"


class Following:
    """Who follows which bots. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis, now: Callable[[], int]) -> None:
        """`now` returns ms since 1970."""
        self._redis, self._now = redis, now

    def bots(self, owner: str) -> list[str]:
        """Return the ids of the bots that an owner follows, the last followed first."""
        return [found.decode() for found in self._redis.one("ZREVRANGE", _KEY + owner, 0, -1)]

    def follow(self, owner: str, bot: str) -> None:
        key = _KEY + owner
        self._redis.all(
            [("ZADD", key, "NX", self._now(), bot), ("ZREMRANGEBYRANK", key, 0, -MOST_FOLLOWED - 1)]
        )

    def unfollow(self, owner: str, bot: str) -> None:
        """Let an owner no longer follow a bot."""
        self._redis.one("ZREM", _KEY + owner, bot)

    def forget(self, owner: str) -> None:
        self._redis.one("DEL", _KEY + owner)
