"""Reviews on demand: requested by owners, computed by jobs, decision by decision.

Each reviewed decision is stored before the next begins, under a lease and only behind those before it. So a killed
worker loses at most the decision in progress, and no decision is stored twice. Since a review depends on the
record alone, the next worker continues it as if nothing had happened.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from engine.game import Refusal
from league.budgets import IDLE_BUDGET_S
from league.errors import NoSuchReview, TooManyReviews
from league.reviews.redis import RedisReviewStore
from records.errors import RefereeError
from records.ids import random_text
from records.match.loaded_match import LoadedMatch
from records.reviews.decisions import Record, count, decisions, reviewed
from records.reviews.model import (
    MOST_DECISIONS,
    Evaluate,
    Review,
    ReviewedMove,
    ReviewFailure,
    ReviewLease,
    ReviewProgress,
    ReviewState,
)
from referee.object_store import ArchiveAway
from referee.referee import Referee

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
"""How many waiting reviews are given to workers at once."""
MOST_ATTEMPTS: Final = 3
"""After how many leases without a stored decision a review fails. So an error in one decision, or a decision that ends
its worker, does not occupy workers and the owner's place in the queue for ever."""
AWAY_MS: Final = 60_000
"""When a review whose record the archive could not return is tried again."""

Wake = Callable[[str, int], None]
"""Enqueues a job for a review, from its match and the number of its jobs so far. A call may be dropped while a job with
the same arguments waits."""


class Reviews:
    """Mistake reviews of finished matches. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisReviewStore,
        referee: Referee,
        evaluate: Evaluate,
        wake: Wake = lambda review, jobs: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._referee, self._evaluate = store, referee, evaluate
        self._wake, self._monotonic = wake, monotonic

    def request(self, match: LoadedMatch, owner: str) -> Review:
        """Request the review of a match whose record may be read, and return it: the same for every request, except
        that a review that failed with `ReviewFailure.ERRORS` starts again from nothing.

        Raise `RecordNotReady` or `GroupRunning` for a record that may not be read, and `TooManyReviews`.
        """
        self._referee.record(match)
        if not self._store.request(match.id, owner):
            raise TooManyReviews(
                "too many of your reviews, or of everybody's, wait for a worker; retry later"
            )
        self.tick()
        return self.get(match)

    def get(self, match: LoadedMatch) -> Review:
        """Return a review. Raise `RecordNotReady`, `GroupRunning` or `NoSuchReview`."""
        self._referee.record(match)
        found = self._store.review(match.id)
        if found is None:
            raise NoSuchReview(f"nobody has requested this review of match {match.id}, or it has expired")
        return found

    def find(self, match: LoadedMatch) -> Review | None:
        """Return a review, or `None` if there is none. Raise `RecordNotReady` or `GroupRunning`."""
        try:
            return self.get(match)
        except NoSuchReview:
            return None

    def tick(self, most: int = AT_ONCE) -> int:
        """Enqueue jobs for reviews that wait for a worker. Several processes may call it at once. Return how many
        wait, at most `most`."""
        due = self._store.due(most)
        for review, jobs in due:
            self._wake(review, jobs)
        return len(due)

    def work(self, review: str, budget_s: float = IDLE_BUDGET_S) -> None:
        """Review decisions for about `budget_s` seconds, one at least. Does nothing if another worker has the
        review.

        After an unexpected error the review waits until its lease expires. It fails after `MOST_ATTEMPTS`.
        """
        until = self._monotonic() + budget_s
        lease = self._store.take(review, random_text(16))
        if lease is None:
            return
        if lease.attempt > MOST_ATTEMPTS:
            log.error("review %s failed: its workers ended at decision %d", review, lease.done)
            self._fail(lease, ReviewFailure.ERRORS)
            return
        try:
            self._work(lease, until)
        except ArchiveAway as error:
            log.warning("review %s waits for the archive: %s", review, error)
            self._store.leave(lease, AWAY_MS)
        except (Refusal, RefereeError):
            log.exception("review %s failed", review)
            self._fail(lease, ReviewFailure.RECORD)
        except Exception:
            log.exception("attempt %d of review %s failed", lease.attempt, review)
            if lease.attempt == MOST_ATTEMPTS and self._known(lease) == lease.done:
                self._fail(lease, ReviewFailure.ERRORS)

    def _known(self, lease: ReviewLease) -> int:
        found = self._store.review(lease.match)
        return 0 if found is None else len(found.moves)

    def _fail(self, lease: ReviewLease, failure: ReviewFailure) -> None:
        """End a review. Otherwise it would occupy every worker after this one."""
        known = self._known(lease)
        failed = ReviewProgress(ReviewState.FAILED, lease.total or known, False, failure)
        self._store.put(lease._replace(done=known), failed, [])

    def _work(self, lease: ReviewLease, until: float) -> None:
        record = self._referee.record(self._referee.look(lease.match)).to_json()
        total, truncated = count(record)
        if lease.done >= total:
            self._store.put(lease, ReviewProgress(ReviewState.DONE, total, truncated), [])
            return
        for done, move in enumerate(self._moves(record, lease), lease.done):
            over = done + 1 == total
            state = ReviewState.DONE if over else ReviewState.RUNNING
            kept = self._store.put(lease._replace(done=done), ReviewProgress(state, total, truncated), [move])
            if over or not kept:
                return
            if self._monotonic() >= until:
                break
        self._store.leave(lease)

    def _moves(self, record: Record, lease: ReviewLease) -> Iterator[ReviewedMove]:
        for decision in islice(decisions(record, lease.done), MOST_DECISIONS - lease.done):
            yield reviewed(record, decision, self._evaluate)
