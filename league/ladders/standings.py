"""The standings of ladders, kept in memory under the version of their sources.

A table derives from the ladder, its entries, totals and rounds, and the ratings of its preset. Whatever changes one of
them then changes a version, or which rounds are under way. A reader reads the versions before the data, so a table may
be newer than its version, but never older. An unchanged table costs two round trips, whatever its length; a knock-out
also computes its bracket. Without this, each reading of a Swiss ladder of 1,000 bots would take half a second.

kozyr:{ladder:ID}:places  hash  number of the last round -> the places before it by bot id (JSON)
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from league.ladders.model import Ladder, Round, Standing, StandingPosition
from league.ladders.redis_totals import key_of, rounds_command, version_key
from league.ladders.service import Ladders
from league.ratings.book import RatingBook
from league.ratings.redis import version_command
from records.ratings.model import Rating
from redisio.connection import Redis

MOST_ROWS: Final = 4096
"""How many rows a process keeps, over all tables."""


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
    """The standings of a season at one version."""

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

    def __init__(self, redis: Redis, ladders: Ladders, ratings: RatingBook) -> None:
        self._redis, self._ladders, self._ratings = redis, ladders, ratings
        self._kept: OrderedDict[tuple[str, int], tuple[object, StandingsTable]] = OrderedDict()
        self._lock = threading.Lock()

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
        # A bracket also depends on which of its bots can play.
        version = (
            ladder,
            frozen,
            self._version(ladder_id, ladder.preset),
            self._ladders.bracket(ladder, season),
        )
        with self._lock:
            known, table = self._kept.get((ladder_id, season), (None, None))
            if table is not None:
                self._kept.move_to_end((ladder_id, season))
        if table is None or known != version:
            table = StandingsTable(ladder, season, frozen, self._rows(ladder, season))
            self._keep(version, table)
        return table

    def _rows(self, ladder: Ladder, season: int) -> list[RankedBot]:
        standings = self._ladders.standings(ladder.id, season)
        bots = [standing.bot for standing in standings]
        ratings = self._ratings.ratings(ladder.preset, bots)
        return [RankedBot(each, ratings.get(each.bot)) for each in standings]

    def _keep(self, version: object, table: StandingsTable) -> None:
        """Keep a table, and drop those that were not read for the longest time."""
        with self._lock:
            self._kept[table.ladder.id, table.season] = version, table
            self._kept.move_to_end((table.ladder.id, table.season))
            rows = sum(len(each.rows) for _, each in self._kept.values())
            while rows > MOST_ROWS and len(self._kept) > 1:
                _, (_, oldest) = self._kept.popitem(last=False)
                rows -= len(oldest.rows)

    def _version(self, ladder: str, preset: str) -> object:
        """Return the version of a ladder's entries, totals and rounds, and of the ratings in a preset, which lie in
        other slots of a cluster. It changes with each change of these."""
        while True:
            # A server that restarts may lose its last writes, and count the next ones with the same numbers.
            changes = self._redis.changes
            totals, rounds, ratings = self._redis.all(
                [("GET", version_key(ladder)), rounds_command(ladder), version_command(preset)]
            )
            if self._redis.changes == changes:
                return changes, totals, *rounds, *ratings

    # Movements

    def on_round_started(self, ladder: Ladder, round_: Round) -> None:
        """Keep the places before a round of which no match has been made, so that a page can show who has moved up.
        Rounds that overlap have no such moment."""
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
