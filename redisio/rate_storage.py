"""Rate counters in Redis: a key `kozyr:rate:…` for each counted caller, which expires with its window.

This is a storage of the `limits` library, which Flask-Limiter uses. It shares the process's connection, so address,
password, certificates and Redis Cluster work as everywhere else.
"""

from __future__ import annotations

import threading
import time
from typing import Final, NamedTuple

from limits.storage import Storage
from redis.exceptions import RedisError

from redisio.connection import Redis
from redisio.scripts import Script

URI: Final = "kozyr://"
"""The storage URI for Flask-Limiter. The connection is passed as the option `redis`."""
COUNT: Final = Script("redisio", "rate_count.lua")


class _CountedWindow(NamedTuple):
    """The last answer of a counter."""

    key: str
    total: int
    until: float
    """The end of its window, in seconds since 1970."""


class RedisRates(Storage):
    """A storage that counts in one round trip. The rest of the window is cached from the answer, per greenlet or
    thread."""

    STORAGE_SCHEME = ["kozyr"]  # noqa: RUF012 -- required by the library

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, *, redis: Redis) -> None:
        super().__init__(uri, wrap_exceptions)
        self._redis = redis
        self._last = threading.local()

    @property
    def base_exceptions(self) -> type[Exception]:
        """The errors raised when Redis is away."""
        return RedisError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        total, left_ms = self._redis.one(*COUNT.call((_name(key),), amount, expiry * 1000))
        self._last.counted = _CountedWindow(key, total, time.time() + left_ms / 1000)
        return int(total)

    def get(self, key: str) -> int:
        counted = self._counted(key)
        return counted.total if counted is not None else int(self._redis.one("GET", _name(key)) or 0)

    def get_expiry(self, key: str) -> float:
        counted = self._counted(key)
        if counted is not None:
            return counted.until
        left_ms: int = self._redis.one("PTTL", _name(key))
        return time.time() + max(0, left_ms) / 1000

    def check(self) -> bool:
        try:
            return bool(self._redis.one("PING"))
        except RedisError:
            return False

    def reset(self) -> int | None:
        """Not supported: counters expire by themselves."""
        raise NotImplementedError

    def clear(self, key: str) -> None:
        self._last.counted = None
        self._redis.one("DEL", _name(key))

    def _counted(self, key: str) -> _CountedWindow | None:
        last: _CountedWindow | None = getattr(self._last, "counted", None)
        return last if last is not None and last.key == key and last.until > time.time() else None


def _name(key: str) -> str:
    return f"kozyr:rate:{key}"
