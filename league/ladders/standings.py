"""The standings of ladders with ratings, and the places that bots had before a round.

kozyr:{ladder:ID}:places  hash  number of the last round -> the places before it by bot id (JSON)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from league.ladders.model import Ladder, Round, Standing, StandingPosition
from league.ladders.redis_totals import key_of
from league.ladders.service import Ladders
from league.ratings.book import RatingBook
from records.ratings.model import Rating
from redisio.connection import Redis


class RankedBot(NamedTuple):
    standing: Standing
    rating: Rating | None


class NamedBot(NamedTuple):
    """A bot in the standings, with the real name of its owner."""

    place: int | None
    bot: str
    real_name: str
    """Empty if the owner was not asked for it or gave none."""
    points_per_deal: float | None
    matches: int


class StandingsTable(NamedTuple):
    """The standings of a season."""

    ladder: Ladder
    season: int
    frozen: int | None
    """Since when the ladder withholds results."""
    rows: Sequence[RankedBot]

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the bots by id."""
        return {row.standing.bot: row.standing.name for row in self.rows}

    def page(self, after: StandingPosition | None, limit: int) -> tuple[slice, StandingPosition | None]:
        """Return where the rows after this position are, at most `limit`, and the position for the next page (`None`
        at the end)."""
        key = None if after is None else after.key
        first = 0 if key is None else bisect_right(self.rows, key, key=lambda row: row.standing.position.key)
        page = slice(first, first + limit)
        more = len(self.rows) > first + limit
        return page, self.rows[first + limit - 1].standing.position if more else None


class LadderStandings:
    """The standings of ladders. Safe to share between greenlets and threads."""

    def __init__(self, ladders: Ladders, ratings: RatingBook) -> None:
        self._ladders, self._ratings = ladders, ratings

    def with_real_names(self, ladder: Ladder, season: int | None = None) -> list[NamedBot]:
        """Return the standings with the real names that only the ladder's organisers may see. Raise `NoSuchSeason`."""
        names = self._ladders.real_names(ladder)
        return [
            NamedBot(
                *(each.place, each.name, names.get(each.bot, "")),
                *(each.line.points_per_deal, each.line.matches),
            )
            for each, _ in self.table(ladder.id, season).rows
        ]

    def table(self, ladder_id: str, season: int | None = None) -> StandingsTable:
        """Return the standings of this or the current season.

        Raise `NoSuchLadder` or `NoSuchSeason`.
        """
        ladder, season = self._ladders.in_season(ladder_id, season)
        frozen = self._ladders.frozen_since(ladder)
        standings = self._ladders.standings(ladder_id, season)
        ratings = self._ratings.ratings(ladder.preset, [each.bot for each in standings])
        rows = [RankedBot(each, ratings.get(each.bot)) for each in standings]
        return StandingsTable(ladder, season, frozen, rows)


class Movements:
    """The places of bots before the last round of a ladder, so that a page can show who has moved up. Safe to share
    between greenlets and threads."""

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
