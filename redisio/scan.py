"""Find keys by pattern, on one server or on all masters of a cluster, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from redisio.connection import Redis
from redisio.errors import checked

_COUNT: Final = 1000


def scan(redis: Redis, pattern: str) -> Iterator[list[str]]:
    """Yield the keys that match a pattern, in batches. A key that exists throughout comes once or more often."""
    for master in range(len(redis.on_masters("PING"))):
        cursor: Any = 0
        while True:
            command = redis.on_masters("SCAN", cursor, "MATCH", pattern, "COUNT", _COUNT)[master]
            cursor, keys = checked(redis.run([command])[0])
            if keys:
                yield [key.decode() for key in keys]
            if not int(cursor):
                break
