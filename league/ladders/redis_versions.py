"""The versions of the sources of standings, in Redis. Ladders and ratings lie in different slots of a cluster."""

from __future__ import annotations

from league.ladders.redis_keys import version_key
from league.ratings.redis import version_command
from redisio.connection import Redis
from redisio.errors import checked


class RedisStandingsVersions:
    """Knows the versions of the sources of standings. `league.ladders.redis_versions` implements it."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def version(self, ladder: str, preset: str) -> object:
        """Return the version of a ladder's entries, totals and luck, and of the ratings in a preset. It changes with
        each change of these."""
        while True:
            # A server that restarts may lose its last writes, and count the next ones with the same numbers.
            changes = self._redis.changes
            answers = self._redis.run([("GET", version_key(ladder)), version_command(preset)])
            totals, ratings = map(checked, answers)
            if self._redis.changes == changes:
                return changes, totals, *ratings
