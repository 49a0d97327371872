"""The errors that processes of the service have logged, for its operators.

kozyr:{service}:errors  stream  one entry each, by Redis's clock: process, what, where; the last `MOST_KEPT`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from redisio.connection import Redis

HOUR_MS: Final = 3_600_000
MOST_KEPT: Final = 1_000
MOST_CHARACTERS: Final = 500
_KEY: Final = "kozyr:{service}:errors"


class ServiceError(NamedTuple):
    """An error in the log of a process."""

    at: int
    """When it was reported, in ms since 1970: up to a second after it happened."""
    process: str
    what: str
    where: str
    """The type and the place of its exception, or the id of its request."""


class RedisErrors:
    """The errors in Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, process: str, errors: Sequence[tuple[str, str]]) -> None:
        """Add errors of a process: what happened, and where."""
        kept = ("XADD", _KEY, "MAXLEN", "~", MOST_KEPT, "*", "process", process)
        self._redis.all(
            [
                (*kept, "what", what[:MOST_CHARACTERS], "where", where[:MOST_CHARACTERS])
                for what, where in errors
            ]
        )

    def of_last_hour(self, most: int) -> list[ServiceError]:
        """Return the last of these errors, the newest first."""
        seconds, _ = self._redis.one("TIME")
        since = int(seconds) * 1000 - HOUR_MS
        found = self._redis.one("XREVRANGE", _KEY, "+", since, "COUNT", most)
        return [
            ServiceError(int(ident.partition(b"-")[0]), *(flat[at].decode() for at in (1, 3, 5)))
            for ident, flat in found
        ]
