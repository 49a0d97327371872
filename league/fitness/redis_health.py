"""The health of bots in Redis, under the hash tag of the accounts.

kozyr:{accounts}:health:BOT   hash  passed (JSON), since (end of that check), suspended (JSON)
kozyr:{accounts}:played:BOT   zset  its last ladder matches, `MATCH 1` for a bad one, else `MATCH 0`, by their ends
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from league.accounts.redis import TAG
from league.fitness.model import IN_A_ROW, Health, HealthUpdate, Passed, Suspended
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.decoding import decoded

COUNT: Final = Script("league.fitness", "health_count.lua")
FORGET: Final = Script("league.fitness", "bad_in_a_row.lua", "health_forget.lua")
_KEPT: Final = 16


class RedisHealthStore:
    """The store of the health of bots."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def health(self, bots: Sequence[str]) -> list[Health]:
        """Return the health of these bots."""
        raws = self._redis.run([("HMGET", health_key(bot), "passed", "suspended") for bot in bots])
        return [
            Health(
                None if passed is None else decoded(Passed, orjson.loads(passed)),
                None if suspended is None else decoded(Suspended, orjson.loads(suspended)),
            )
            for passed, suspended in raws
        ]

    def count(self, updates: Sequence[HealthUpdate]) -> None:
        """Count ended matches, each once."""
        for answer in self._redis.run([self._counted(update) for update in updates]):
            checked(answer)

    def forget(self, void: Sequence[tuple[str, str]]) -> None:
        """Remove void matches of these bots. A suspension that depends on them ends."""
        commands = [FORGET.call((health_key(bot), played_key(bot)), match, IN_A_ROW) for bot, match in void]
        for answer in self._redis.run(commands):
            checked(answer)

    @staticmethod
    def _counted(update: HealthUpdate) -> tuple[object, ...]:
        why = f"{IN_A_ROW} bad matches in a row; in the last, {update.match}, it {update.bad}"
        suspension = orjson.dumps({"reason": why, "at": update.ended})
        keys, bad = (health_key(update.bot), played_key(update.bot)), int(update.bad is not None)
        return COUNT.call(keys, update.match, bad, update.ended, IN_A_ROW, _KEPT, suspension)


def health_key(bot: str) -> str:
    """Return the key of a bot's health."""
    return f"{TAG}health:{bot}"


def played_key(bot: str) -> str:
    """Return the key of a bot's last ladder matches."""
    return f"{TAG}played:{bot}"
