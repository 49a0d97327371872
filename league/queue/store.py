"""The store of the queue and of batches. `league.queue.redis` implements it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from league.queue.model import DropReason, EntryState, MatchBatch, QueueEntry


class ClaimResult(enum.IntEnum):
    """The result of claiming entries for a match."""

    TAKEN = 0
    """One of them no longer waits, and nothing has changed."""
    CLAIMED = 1
    REPEATED = 2
    """They were claimed for this match before."""


class QueuePool(NamedTuple):
    """Waiting entries with equal terms, or some of them, the longest waiting first."""

    now: int
    entries: list[QueueEntry]
    size: int
    """How many entries the pool has."""


class BatchStore(Protocol):
    """The store of batches whose matches may not all exist yet."""

    def put(self, batch: MatchBatch) -> None:
        """Store a batch. From now on its matches will be created."""

    def unfinished(self, batch_id: str) -> MatchBatch | None:
        """Return a stored batch."""

    def due(self, most: int) -> list[MatchBatch]:
        """Return batches that nobody has finished for some seconds, and postpone them by as much."""

    def done(self, batch: MatchBatch, failed: DropReason | None = None) -> None:
        """Remove a batch. Its entries are matched, or with `failed` dropped. Safe to repeat."""


class QueueStore(BatchStore, Protocol):
    """The store of the queue. A bot has at most one waiting entry."""

    def join(self, entry: QueueEntry) -> QueueEntry:
        """Add an entry and return it with its instant. Return the bot's waiting entry instead, if it has one, or the
        entry with this id in its present state, if it was added before."""

    def last(self, bot: str) -> QueueEntry | None:
        """Return the bot's last entry. An ended entry is kept for a day."""

    def pools(self) -> list[str]:
        """Return the pools with waiting entries."""

    def waiting_from(self, pool: str, ranks: Sequence[int], most: int) -> QueuePool:
        """Return at most `most` entries of a pool from each of these ranks by rating."""

    def waiting_around(self, pool: str, entry: str, most: int) -> QueuePool:
        """Return at most `most` entries of a pool: an entry and those nearest to it by the rank of their rating."""

    def claim(self, pool: str, batch: MatchBatch) -> ClaimResult:
        """Store a batch of one match and take its entries out of their pool, all or none."""

    def end(self, entry: QueueEntry, state: EntryState, reason: DropReason | None = None) -> bool:
        """End an entry. Return false, without effect, if it no longer waits."""
