"""The places of bots before the last round of a ladder, so that a page can show who has moved up.

kozyr:{ladder:ID}:places  hash  number of the last round -> the places before it by bot id (JSON)
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from league.ladders.model import Ladder, Round
from league.ladders.redis_totals import key_of
from league.ladders.service import Ladders
from redisio.connection import Redis


class Movements:
    """Keeps the places. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis, ladders: Ladders) -> None:
        self._redis, self._ladders = redis, ladders

    def on_round_started(self, ladder: Ladder, round_: Round) -> None:
        """Keep the places before a round of which no match has been made. Rounds that overlap have no such moment."""
        if ladder.format_class.overlaps_rounds or round_.season != ladder.season:
            return
        standings = self._ladders.standings(ladder.id, with_idle=False)
        places = {each.bot: each.place for each in standings if each.place is not None and each.line.matches}
        key = key_of(ladder.id, "places")
        self._redis.all(
            [("HSET", key, round_.number, orjson.dumps(places)), ("HDEL", key, round_.number - 1)]
        )

    def places_before(self, ladder_id: str, number: int) -> Mapping[str, int]:
        """Return by bot id the places before this round, which is the ladder's last one; none if they are unknown."""
        found = self._redis.one("HGET", key_of(ladder_id, "places"), number)
        return {} if found is None else orjson.loads(found)
