"""What a check of the data works with, and what it finds."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
    archiver: Archiver | None
    now: Callable[[], int]
    """The wall clock, in ms since 1970."""
    feed: Callable[[Sequence[LoadedMatch]], None]
    """Feeds matches to all that may get them more than once: not to statistics, webhooks and streams."""


class Kind(enum.StrEnum):
    """The kinds of contradictions."""

    ROUND = "round"
    """A round waits for a match that is missing, or does not know one that exists."""
    DOUBLE = "double"
    """A match is played at a table that another match has, or at none."""
    GROUP = "group"
    """A duplicate group is missing, or does not know that its match is over."""
    UNLISTED = "unlisted"
    """A list of matches lacks a match."""
    LISTED = "listed"
    """A list names a match that is missing."""
    LEFT_OVER = "left-over"
    """An outbox or a set of deadlines names a match that is missing."""
    UNCHAINED = "unchained"
    """The chain lacks a record."""
    HOLE = "hole"
    """The chain has the record of a match that is missing."""
    UNCOUNTED = "uncounted"
    """A round still waits for a match that is over."""
    STANDINGS = "standings"
    """The totals of a ladder are unlike the records."""
    RATING = "rating"
    """The results that ratings follow from are unlike the records."""
    ARCHIVE = "archive"
    """The archive is damaged."""


class Contradiction(NamedTuple):
    """A contradiction, by the name of its kind."""

    kind: Kind
    ids: Mapping[str, Any]
    """What it concerns, by name: `match`, `ladder`, `round`, …"""
    says: str
    mend: Callable[[], object] | None = None
    """Removes it. `None`: it has to be repaired otherwise."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as commands print it."""
        return {"kind": self.kind.value, **self.ids, "says": self.says, "repairable": self.mend is not None}

    def __str__(self) -> str:
        about = " ".join(f"{name} {value}" for name, value in self.ids.items())
        return f"{self.kind.value:<10}  {about}: {self.says}"
