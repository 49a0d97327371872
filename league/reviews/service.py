"""Reviews on demand: requested by owners, computed by jobs, decision by decision.

Each reviewed decision is stored before the next begins, under a lease and only behind those before it. So a killed
worker loses at most the decision in progress, and no decision is stored twice. Since a review depends only on the
record and the effort, the next worker continues it as if nothing had happened.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from engine.game import Refusal
from league.errors import NoSuchReview, TooManyReviews
from league.reviews.decisions import Record, count, decisions, reviewed
from league.reviews.model import MOST_DECISIONS, Effort, Evaluate, Review, ReviewedMove, ReviewState
from league.reviews.store import ReviewLease, ReviewProgress, ReviewStore
from referee.errors import RefereeError
from referee.ids import random_text
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
"""How many waiting reviews are given to workers at once."""

Wake = Callable[[str, int], None]
"""Enqueues a job for a review, from its id and the number of its jobs so far. A call may be dropped while a job with
the same arguments waits."""


class Reviews:
    """Mistake reviews of finished matches. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: ReviewStore,
        referee: Referee,
        evaluate: Evaluate,
        wake: Wake = lambda review, jobs: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._referee, self._evaluate = store, referee, evaluate
        self._wake, self._monotonic = wake, monotonic

    def request(self, match: LoadedMatch, effort: Effort, owner: str) -> Review:
        """Request the review of a match whose record may be read, and return it: the same for every request.

        Raise `RecordNotReady` or `GroupRunning` for a record that may not be read, and `TooManyReviews`.
        """
        self._referee.record(match)
        if not self._store.request(match.id, effort, owner):
            raise TooManyReviews(
                "too many of your reviews, or of everybody's, wait for a worker; retry later"
            )
        self.tick()
        return self.get(match, effort)

    def get(self, match: LoadedMatch, effort: Effort) -> Review:
        """Return a review. Raise `RecordNotReady`, `GroupRunning` or `NoSuchReview`."""
        self._referee.record(match)
        found = self._store.review(match.id, effort)
        if found is None:
            raise NoSuchReview(f"nobody has requested this review of match {match.id}, or it has expired")
        return found

    def find(self, match: LoadedMatch, effort: Effort) -> Review | None:
        """Return a review, or `None` if there is none. Raise `RecordNotReady` or `GroupRunning`."""
        try:
            return self.get(match, effort)
        except NoSuchReview:
            return None

    def tick(self, most: int = AT_ONCE) -> int:
        """Enqueue jobs for reviews that wait for a worker. Several processes may call it at once. Return how many
        wait, at most `most`."""
        due = self._store.due(most)
        for review, jobs in due:
            self._wake(review, jobs)
        return len(due)

    def work(self, review: str, budget_s: float = 0.5) -> None:
        """Review decisions for about `budget_s` seconds, one at least. Does nothing if another worker has the
        review."""
        until = self._monotonic() + budget_s
        lease = self._store.take(review, random_text(16))
        if lease is None:
            return
        try:
            self._work(lease, until)
        except (Refusal, RefereeError):
            # A broken record would stop every worker after this one.
            log.exception("review %s failed", review)
            done = self._store.review(lease.match, lease.effort)
            known = 0 if done is None else len(done.moves)
            failed = ReviewProgress(ReviewState.FAILED, lease.total or known, False)
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
            yield reviewed(record, decision, lease.effort, self._evaluate)
