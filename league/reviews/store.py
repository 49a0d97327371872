"""The store of reviews. `league.reviews.redis` implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from league.reviews.model import Effort, Review, ReviewedMove, ReviewFailure, ReviewState


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


class ReviewStore(Protocol):
    """The store of reviews, which are identified by match and effort."""

    def request(self, match: str, effort: Effort, owner: str) -> bool:
        """Let a review wait for a worker unless it exists, or has failed with `ReviewFailure.ERRORS`: then it is
        replaced. Return false, without effect, if too many wait."""

    def review(self, match: str, effort: Effort) -> Review | None:
        """Return a review with its moves so far."""

    def due(self, most: int) -> list[tuple[str, int]]:
        """Return the ids of reviews that wait for a worker, and how many jobs each has had. The one that has waited
        longest is first."""

    def take(self, review: str, worker: str) -> ReviewLease | None:
        """Lease a review, or return `None` if another worker has it or it is done."""

    def put(self, lease: ReviewLease, progress: ReviewProgress, moves: Sequence[ReviewedMove]) -> bool:
        """Append the moves that follow the first `lease.done`, and renew the lease or end the review. Return false,
        without effect, if the lease was lost."""

    def leave(self, lease: ReviewLease, for_ms: int = 0) -> None:
        """Return a lease, which does not count as an attempt. The next one is given in `for_ms` at the earliest."""
