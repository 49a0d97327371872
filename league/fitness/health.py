"""Health of bots: three bad ladder matches in a row suspend a bot from ladders. Passing a check
(`league.fitness.checks`) forgives the matches that ended before it, and ends the suspension if they caused it.

A match is bad for a bot that lost its seat by timeouts or did not show up. Only ladder matches count, and void ones
do not. Their order is that of their ends.

The health of bots in Redis, under the hash tag of the accounts.

kozyr:{accounts}:health:BOT   hash  passed (JSON), since (end of that check), suspended (JSON)
kozyr:{accounts}:played:BOT   zset  its last ladder matches, `MATCH 1` for a bad one, else `MATCH 0`, by their ends
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from league.accounts.redis import TAG
from league.fitness.model import IN_A_ROW, Health, HealthUpdate, Passed, Suspended
from records.decoding import decoded
from records.match.loaded_match import LoadedMatch
from records.match.session import Ending
from redisio.connection import Redis
from redisio.scripts import Script

COUNT: Final = Script("league.fitness", "bad_in_a_row.lua", "health_count.lua")
FORGET: Final = Script("league.fitness", "bad_in_a_row.lua", "health_forget.lua")
_KEPT: Final = 16


class Fitness:
    """The health of bots. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def of(self, bots: Sequence[str]) -> Mapping[str, Health]:
        """Return the health of these bots by id. Takes one round trip."""
        raws = self._redis.run([("HMGET", health_key(bot), "passed", "suspended") for bot in bots])
        return {
            bot: Health(
                None if passed is None else decoded(Passed, orjson.loads(passed)),
                None if suspended is None else decoded(Suspended, orjson.loads(suspended)),
            )
            for bot, (passed, suspended) in zip(bots, raws, strict=True)
        }

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Count matches that have become readable, each once. Remove void ones."""
        self.count([update for matches in groups for match in matches for update in _updates(match)])
        void = [
            (seat.id, match.id)
            for matches in groups
            for match in matches
            if match.void and match.config.ladder is not None
            for seat in match.config.seats
            if seat is not None and not seat.house
        ]
        self.forget(void)

    def count(self, updates: Sequence[HealthUpdate]) -> None:
        self._redis.all([self._counted(update) for update in updates])

    def forget(self, void: Sequence[tuple[str, str]]) -> None:
        """Remove void matches of these bots. A suspension that depends on them ends."""
        commands = [FORGET.call((health_key(bot), played_key(bot)), match, IN_A_ROW) for bot, match in void]
        self._redis.all(commands)

    @staticmethod
    def _counted(update: HealthUpdate) -> tuple[object, ...]:
        why = f"{IN_A_ROW} bad matches in a row; in the last, {update.match}, it {update.bad}"
        suspension = orjson.dumps({"reason": why, "at": update.ended})
        keys, bad = (health_key(update.bot), played_key(update.bot)), int(update.bad is not None)
        return COUNT.call(keys, update.match, bad, update.ended, IN_A_ROW, _KEPT, suspension)


def _updates(match: LoadedMatch) -> list[HealthUpdate]:
    """Return the updates of an ended match for its remote bots; none if a seat was never taken."""
    config, progress = match.config, match.progress
    if config.ladder is None or match.void or progress.ended is None:
        return []
    found = []
    for number, seat in enumerate(config.seats):
        if seat is None or seat.house:
            continue
        bad: str | None = None
        if number in progress.absent:
            bad = "did not show up"
        elif progress.ending is Ending.ABORTED:
            # Another bot did not show up, or its group was aborted.
            continue
        elif number in progress.forfeits and progress.strikes[number] >= config.clock.strikes:
            bad = f"ran out of time in {progress.strikes[number]} turns"
        found.append(HealthUpdate(seat.id, match.id, progress.ended, bad))
    return found


def health_key(bot: str) -> str:
    return f"{TAG}health:{bot}"


def played_key(bot: str) -> str:
    return f"{TAG}played:{bot}"
