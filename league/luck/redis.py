"""The luck of matches in Redis.

kozyr:luck:match:MATCH  string  JSON `[mark, [[luck by seat] by deal], dealt]`; expires
"""

from __future__ import annotations

from typing import Final

import orjson

from league.luck.store import StoredLuck
from redisio.connection import Redis

KEPT_S: Final = 7 * 86_400
"""How long the luck of a match is kept after it was computed, in seconds."""


class RedisMatchLuckStore:
    """Keeps the luck of matches for a while. Whatever is lost is computed again on demand."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def luck(self, match: str) -> StoredLuck | None:
        """Return the stored luck of a match, if there is any."""
        raw = self._redis.one("GET", _key(match))
        return None if raw is None else StoredLuck(*orjson.loads(raw))

    def put_luck(self, match: str, found: StoredLuck) -> None:
        """Replace the stored luck of a match."""
        self._redis.one("SET", _key(match), orjson.dumps([*found]), "EX", KEPT_S)


def _key(match: str) -> str:
    return f"kozyr:luck:match:{match}"
