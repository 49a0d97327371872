"""Watched bots in Redis.

kozyr:watched      zset  bot ids by the instant (ms) until which they are watched; dropped when another is added
kozyr:watched:BOT  list  its requests as JSON arrays, the latest first; expires
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from league.watching.store import WatchedRequest
from redisio.connection import Redis
from redisio.errors import checked

KEPT_S: Final = 3600
"""How long requests are kept after the latest one, in seconds."""
_WATCHED: Final = "kozyr:watched"


class RedisWatchStore:
    """Stores which bots are watched, and their latest requests."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def watched(self, now: int) -> Mapping[str, int]:
        """Return by bot until when it is watched, in ms since 1970, without those whose time is up."""
        flat = self._redis.one("ZRANGEBYSCORE", _WATCHED, f"({now}", "+inf", "WITHSCORES")
        return {bot.decode(): int(until) for bot, until in zip(flat[::2], flat[1::2], strict=True)}

    def watch(self, bot: str, now: int, until: int) -> None:
        """Watch a bot until this instant, in ms since 1970, and forget those whose time is up."""
        for answer in self._redis.run(
            [("ZREMRANGEBYSCORE", _WATCHED, "-inf", now), ("ZADD", _WATCHED, until, bot)]
        ):
            checked(answer)

    def unwatch(self, bot: str) -> None:
        """No longer watch a bot."""
        self._redis.one("ZREM", _WATCHED, bot)

    def add(self, bot: str, found: Sequence[WatchedRequest], most: int) -> None:
        """Add requests, and keep the latest `most`."""
        key = f"{_WATCHED}:{bot}"
        lines = [orjson.dumps([*each]) for each in found]
        for answer in self._redis.run(
            [("LPUSH", key, *lines), ("LTRIM", key, 0, most - 1), ("EXPIRE", key, KEPT_S)]
        ):
            checked(answer)

    def requests(self, bot: str) -> list[WatchedRequest]:
        """Return the kept requests of a bot, the latest first."""
        return [
            WatchedRequest(*orjson.loads(line))
            for line in self._redis.one("LRANGE", f"{_WATCHED}:{bot}", 0, -1)
        ]
