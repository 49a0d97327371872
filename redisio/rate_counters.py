"""Rate counters in Redis: a key `kozyr:rate:…` for each counted caller, which expires with its window.

The counters share the process's connection, so address, password, certificates and Redis Cluster work as everywhere
else.
"""

from __future__ import annotations

from typing import Final

from redisio.connection import Redis
from redisio.scripts import Script

COUNT: Final = Script("redisio", "rate_count.lua")


class RedisRateCounters:
    """Counts in fixed windows, each in one round trip. All processes on one Redis count together."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def count(self, key: str, window_s: int, amount: int = 1) -> tuple[int, float]:
        """Add to a counter whose window begins with its first count. Return the total and the seconds that remain."""
        total, left_ms = self._redis.one(*COUNT.call((f"kozyr:rate:{key}",), amount, window_s * 1000))
        return int(total), left_ms / 1000
