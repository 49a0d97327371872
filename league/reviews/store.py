"""What the store of reviews takes and returns."""

from __future__ import annotations

from typing import NamedTuple

from league.reviews.model import Effort, ReviewFailure, ReviewState


class ReviewLease(NamedTuple):
    """A review that a worker works on, alone until the lease expires."""

    id: str
    worker: str
    match: str
    effort: Effort
    owner: str
    done: int
    """How many of its decisions are reviewed."""
    total: int | None
    attempt: int
    """How many leases it has had since a decision was last stored, with this one."""


class ReviewProgress(NamedTuple):
    """How far a review is after a step of its work."""

    state: ReviewState
    total: int
    truncated: bool
    failure: ReviewFailure | None = None
