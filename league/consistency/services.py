"""What the check of the data works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from league.fitness.statistics import BotStatistics
from league.ladders.service import Ladders
from league.ratings.book import RatingBook
from league.rounds.planned_matches import PlannedMatches
from records.match.loaded_match import LoadedMatch
from referee.archive.archiver import Archiver
from referee.duplicate_groups import Groups
from referee.proofs.redis import RedisChain
from referee.referee import Referee
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_index import RedisMatchIndex


@dataclass(frozen=True, kw_only=True)
class ConsistencyServices:
    """The services that know the stored data."""

    store: RedisMatchStore
    referee: Referee
    index: RedisMatchIndex
    groups: Groups
    chain: RedisChain
    ladders: Ladders
    tables: PlannedMatches
    ratings: RatingBook
    statistics: BotStatistics
    archiver: Archiver | None
    now: Callable[[], int]
    """The wall clock, in ms since 1970."""
    feed: Callable[[Sequence[LoadedMatch]], None]
    """Feeds matches to all that may get them more than once: not to statistics, webhooks and streams."""
