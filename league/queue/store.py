"""What the store of the queue returns."""

from __future__ import annotations

import enum
from typing import NamedTuple

from league.queue.model import QueueEntry


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
