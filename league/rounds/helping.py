"""Help with a round of house bots: further workers handle tables under leases of their own.

The worker with the round's lease asks for helpers. A helper handles only tables among house bots, since their bots have
room for any number of matches. It starts at a random table, so that helpers rarely want the same ones; the store
gives each table to one of them. If a helper dies, its lease expires, and the round's next worker finishes its matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Protocol

from league.ladders.service import Ladders
from league.rounds.entrants import RoundEntrants, accepted, house_only
from league.rounds.making import LEASE_MS, RoundJob, TableMaker, in_order
from league.rounds.permission import NewMatchGate
from league.rounds.tables import PlannedMatches
from referee.ids import random_text


class WorkerPool(Protocol):
    """The workers that run jobs."""

    def workers(self) -> int:
        """Return about how many workers run, at least 1."""

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        """Enqueue up to this many jobs that help with a round. Does nothing while such jobs wait, because then no
        worker is free."""


class OneWorker:
    """A pool without further workers."""

    def workers(self) -> int:
        """Return 1."""
        return 1

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        """Do nothing."""


class RoundHelper:
    """Helps the workers of rounds."""

    def __init__(
        self,
        ladders: Ladders,
        gate: NewMatchGate,
        entrants: RoundEntrants,
        tables: PlannedMatches,
        maker: TableMaker,
        pool: WorkerPool,
        rng: Random | None = None,
    ) -> None:
        """`rng` draws the first tables."""
        self._ladders, self._store, self._gate = ladders, ladders.store, gate
        self._entrants, self._tables, self._maker, self._pool = entrants, tables, maker, pool
        self._rng = rng or Random()

    def help(self, ladder_id: str, number: int, budget_s: float) -> bool:
        """Handle tables among house bots for about this long. Return whether there are more.

        Return false at once if the round has ended or the service does not run. Errors are raised; the round's next
        worker meets them too and decides (`RoundFailures`).
        """
        if not self._gate.is_open():
            return False
        helper = random_text(16)
        if not self._store.help_round(ladder_id, number, helper, LEASE_MS):
            return False
        try:
            more = self._help(ladder_id, number, helper, budget_s)
        except Exception:
            self._store.leave_round(ladder_id, number, helper, clean=False)
            raise
        self._store.leave_round(ladder_id, number, helper, clean=True)
        return more

    def _help(self, ladder_id: str, number: int, helper: str, budget_s: float) -> bool:
        until, last = self._maker.deadlines(budget_s)
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        job = RoundJob(
            ladder=ladder,
            round=round_,
            plan=self._tables.plan(ladder, round_),
            worker=helper,
            workers=self._pool.workers(),
            able=self._entrants.able(ladder, round_),
            made=self._store.made(ladder_id, number, round_.planned),
            until=until,
            last=last,
        )
        tables = self._among_house_bots(job)
        # One match that is too long for this job ends it: further workers don't make long matches shorter.
        return self._maker.make(job, tables, 1) == 0 and next(tables, None) is not None

    def _among_house_bots(self, job: RoundJob) -> Iterator[int]:
        first = self._rng.randrange(max(1, len(job.plan.tables)))
        for table in in_order(job.plan, job.made, first):
            entrants = job.plan.tables[table].entrants
            if house_only(entrants) and accepted(entrants, job.able, job.ladder):
                yield table
