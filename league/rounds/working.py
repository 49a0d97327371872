"""Work on a round under its lease: the worker handles tables, each once.

A worker opens the matches of some tables, then creates them. A worker that takes over looks for open matches that
were never created, or that ended unnoticed. The worker plays matches among house bots to their end, without storing
each move where all bots answer at once, and asks other workers for help if there are many. It creates matches with
remote bots up to each bot's maximum; the round continues when some end. Ended matches are counted like any match, by
the process that receives them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from league.accounts.model import Bot
from league.ladders.model import ROUNDS, Ladder, Lease, Round
from league.ladders.service import Ladders
from league.pairing.plan import RoundPlan
from league.rounds.counting import ResultCounter
from league.rounds.entrants import RoundEntrants, Running, accepted, house_only
from league.rounds.failing import RoundFailures
from league.rounds.helping import WorkerPool
from league.rounds.making import AT_A_TIME, LEASE_MS, RoundJob, TableMaker, in_order
from league.rounds.permission import NewMatchGate
from league.rounds.tables import PlannedMatches
from league.rounds.timing import LOOK_MS
from referee.ids import random_text
from referee.referee import Referee

LONG_MATCHES: Final = 4
"""How many house matches that were too long for one job may be under way before a round waits for them."""
LONG_PER_WORKER: Final = 2
"""The same for each worker, so that bots that think keep all workers busy."""
HELPED_FROM: Final = 128
"""From how many tables among house bots on a worker asks for help."""

T = TypeVar("T")

Started = Callable[[Ladder, Round], None]
"""Takes a round that has started."""


class RoundWorker:
    """Works on rounds."""

    def __init__(
        self,
        ladders: Ladders,
        referee: Referee,
        gate: NewMatchGate,
        entrants: RoundEntrants,
        tables: PlannedMatches,
        counting: ResultCounter,
        failures: RoundFailures,
        maker: TableMaker,
        pool: WorkerPool,
        running: Running | None = None,
        report: Started = lambda ladder, round_: None,
    ) -> None:
        """Without `running` a round counts only its own matches. `report` takes rounds before their first match."""
        self._ladders, self._store, self._referee = ladders, ladders.store, referee
        self._gate, self._entrants = gate, entrants
        self._tables, self._counting, self._failures = tables, counting, failures
        self._maker, self._pool, self._running, self._report = maker, pool, running, report

    def work(self, ladder_id: str, number: int, budget_s: float) -> bool:
        """Work on a round for about this long. Return whether there is more to do at once.

        Return false at once while another worker has the lease, while the service does not run, or when the round has
        ended. `RoundFailures` handles errors of the round. Only temporary errors are raised, such as a store that is
        away.
        """
        if not self._gate.is_open():
            return False
        worker = random_text(16)
        lease = self._store.take_lease(ladder_id, number, worker, LEASE_MS)
        if not lease.held:
            return False
        try:
            more = self._work(ladder_id, number, worker, lease, budget_s)
        except Exception as error:
            # Either way the next worker looks for unfinished work.
            if self._failures.is_temporary(error):
                self._store.give_lease(ladder_id, number, worker, clean=False)
                raise
            self._failures.broke_off(ladder_id, number, worker, error)
            return False
        self._store.give_lease(ladder_id, number, worker, clean=True)
        return more

    def _work(self, ladder_id: str, number: int, worker: str, lease: Lease, budget_s: float) -> bool:
        until, last = self._maker.deadlines(budget_s)
        ladder = self._ladders.get(ladder_id)
        round_ = self._ladders.round(ladder_id, number)
        plan = self._tables.plan(ladder, round_)
        if not lease.clean:
            self._recover(ladder, round_, plan, last)
        able = self._entrants.able(ladder, round_)
        opened = self._store.open_matches(ladder_id, number)
        busy: Counter[str] = Counter()
        among_house_bots = 0
        for table in opened.values():
            entrants = plan.tables[table].entrants
            busy.update(entrant.id for entrant in entrants if not entrant.house)
            among_house_bots += house_only(entrants)
        for bot, matches in self._elsewhere(able).items():
            busy[bot] = max(busy[bot], matches)
        at_play = {plan.tables[table].group for table in opened.values()} - {None}
        made = self._store.made(ladder_id, number, round_.planned)
        if not any(made):
            self._report(ladder, round_)
        workers = self._pool.workers()
        if workers > 1 and self._needs_help(plan, made):
            self._pool.help_round(ladder_id, number, workers - 1)
        room = max(LONG_MATCHES, LONG_PER_WORKER * workers) - max(0, among_house_bots - lease.in_hand)
        job = RoundJob(ladder, round_, plan, worker, workers, able, made, until, last)
        begun = self._maker.make(job, iter(self._possible(job, busy, at_play)), room)
        if begun is None:
            return False
        if number not in self._store.rounds_under_way(ladder_id):
            self._counting.done(ladder_id, number)
            return False
        job = job._replace(made=self._store.made(ladder_id, number, round_.planned))
        more = begun < room and any(True for _ in self._possible(job, busy, at_play))
        if not ladder.format_class.overlaps_rounds:
            # Where rounds overlap, work on one must not delay the check of another whose worker died.
            self._store.set_due(ROUNDS, ladder_id, self._store.now() + (LEASE_MS if more else LOOK_MS))
        return more

    @staticmethod
    def _needs_help(plan: RoundPlan, made: Sequence[bool]) -> bool:
        """Return whether `HELPED_FROM` tables among house bots are unhandled."""
        left = (
            table
            for table, handled in zip(plan.tables, made, strict=True)
            if not handled and house_only(table.entrants)
        )
        return next(islice(left, HELPED_FROM - 1, None), None) is not None

    def _possible(self, job: RoundJob, busy: Counter[str], at_play: set[int | None]) -> Iterator[int]:
        """Yield the tables whose bots have room, which they take, and the tables to be dropped. A remote bot sits at
        one table of a group at a time."""
        for table in in_order(job.plan, job.made):
            entrants, group, _ = job.plan.tables[table]
            remote = [entrant.id for entrant in entrants if not entrant.house]
            if not accepted(entrants, job.able, job.ladder):
                yield table
            elif group not in at_play and all(
                busy[bot] < job.able[bot].match_policy.max_matches for bot in remote
            ):
                busy.update(remote)
                if group is not None and remote:
                    at_play.add(group)
                yield table

    def _recover(self, ladder: Ladder, round_: Round, plan: RoundPlan, until: float) -> None:
        """Repair what the previous worker left unfinished: matches never created, ends unnoticed."""
        opened = self._store.open_matches(ladder.id, round_.number)
        for batch in _batches(opened, AT_A_TIME):
            over, never_made = [], []
            for match, loaded in zip(batch, self._referee.look_at(batch, round_.since), strict=True):
                if loaded is None and match in self._referee.store.unreadable:
                    continue
                if loaded is None:
                    never_made.append(opened[match])
                elif loaded.finished and loaded.config.group is None:
                    over.append([loaded])
            self._counting.on_readable(over)
            self._maker.play(ladder, round_, self._tables.announced(ladder, round_, plan, never_made), until)

    def _elsewhere(self, able: Mapping[str, Bot]) -> Mapping[str, int]:
        return {} if self._running is None else self._running(list(able))


def _batches(things: Iterable[T], most: int) -> Iterable[list[T]]:
    batch = []
    for thing in things:
        batch.append(thing)
        if len(batch) == most:
            yield batch
            batch = []
    if batch:
        yield batch
