"""Find keys by pattern, on one server or on all masters of a cluster, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from redisio.connection import Redis
from redisio.errors import checked

_COUNT: Final = 1000


def scan(redis: Redis, pattern: str) -> Iterator[list[str]]:
    """Yield the keys that match a pattern, in batches. A key that exists throughout comes once or more often."""
    for first in redis.on_masters("SCAN", 0, "MATCH", pattern, "COUNT", _COUNT):
        command = first
        while True:
            cursor, keys = checked(redis.run([command])[0])
            if keys:
                yield [key.decode() for key in keys]
            if not int(cursor):
                break
            # At the same master, even if others are added.
            command = type(first)((first[0], cursor, *first[2:]))
