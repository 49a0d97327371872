"""The load of the service: what waits, how late it is, and what it takes in Redis.

`referee.service.redis_load` reads it. The metrics show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class ThinkingLoad(NamedTuple):
    """What house bots that think by the clock have done since the data began."""

    moves: int
    thought_ms: int
    """The time allotted to them for searching."""
    late_ms: int
    """The part of it in which their process got no processor: the host was overloaded."""


class ServiceLoad(NamedTuple):
    """The load of the whole service at one moment."""

    matches: int
    """Matches that are not over."""
    outbox: int
    """Entries of the outboxes that nobody has handled."""
    late_ms: int
    """How long ago the oldest expired deadline could have been applied; 0 if none waits."""
    redis_bytes: int
    """The memory of all Redis masters."""
    redis_limit: int
    """Their `maxmemory`; 0 if one of them has none."""
    chained: int
    """Records in the chain."""
    archived: int
    """Records that have moved to the archive."""
    archive_late_ms: int
    """How long ago the oldest record in Redis became due to move to the archive; 0 if none is due."""
    thinking: Mapping[str, ThinkingLoad] = {}
    """By the name of a house bot."""
    index_files: int = 0
    """Files of the index of the archive."""
    index_bytes: int = 0
    """Their size."""
    archive_damaged: int = 0
    """Objects of the archive that were found missing or damaged."""
    replicas: Mapping[str, int] = {}
    """Connected replicas by the address of their master, which is empty outside a Redis Cluster."""
    wait_replicas: int = 0
    """How many of them must have a write before it is acknowledged."""
    dumped_until: int = 0
    """The end of the last month that needs no dump any more, in ms since 1970; 0 before the first."""

    backed_up: int = 0
    """The last verified backup, in ms since 1970; 0 before the first."""
    archive_away_ms: int = 0
    """For how long matches could not be archived because the archive is away; 0 if it is not."""

    @property
    def bytes_per_match(self) -> float:
        """The memory of Redis for each match, archived and running ones included; 0 without a match."""
        matches = self.chained + self.matches
        return self.redis_bytes / matches if matches else 0.0


NO_LOAD: Final = ServiceLoad(0, 0, 0, 0, 0, 0, 0, 0)
