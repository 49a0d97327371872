"""Work on rounds: workers handle tables under leases, each once.

A worker with the lease of a round opens the matches of some tables, then creates them and plays those among house bots
to their end, without storing each move where all bots answer at once. The first step of a job is small; each further
one is as large as the rest of the budget allows. The worker creates matches with remote bots up to each bot's maximum;
the round continues when some end. Ended matches are counted like any match, by the process that receives them. A worker
that takes over looks for open matches that were never created, or that ended unnoticed.

With many tables among house bots the worker asks for helpers, which have leases of their own. Such bots have room for
any number of matches. A helper starts at a random table, so that helpers rarely want the same ones; the store gives
each table to one of them. If a helper dies, its lease expires, and the round's next worker finishes its matches.

What happens after an error:

    the store was away, or refused for a time     retried without limit
    a table or setting that the rules refuse      the round fails at once, since retries can't help
    any other error                               `MOST_TRIES` tries in a row, `RETRY_MS` apart, then the round fails

A failed round makes no further tables and blocks nothing: the next round may start, and a closing ladder closes. Its
existing matches are played and count. Only a duplicate group that lacks a match is voided, since it can't be
completed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import randrange
from typing import Final, NamedTuple

from engine.game import BadTable
from league.accounts.model import Bot
from league.budgets import BUDGET_S, IDLE_BUDGET_S
from league.errors import BadValue, Overtaken
from league.ladders.model import ROUNDS, Ladder, Lease, Round, RoundState
from league.pairing.plan import RoundPlan
from league.rounds.context import RoundContext, RoundPart
from league.rounds.counting import ResultCounter
from league.rounds.entrants import RoundEntrants, accepted, house_only
from league.rounds.planned_matches import PlannedMatch, PlannedMatches
from league.rounds.timing import LOOK_MS
from records.ids import random_text
from records.match.session import table_of
from records.results.group_result import ResultPlayer, no_show
from referee.errors import Busy

LEASE_MS: Final = 15_000
"""How long a worker or helper keeps its lease without renewing it."""
AT_A_TIME: Final = 8
"""How many tables the first step of a job handles."""
MOST_AT_A_TIME: Final = 256
"""The maximum for a step. Each step doubles at most, as far as its matches fit into the budget."""
SPARE: Final = 1 / 3
"""The extra share of a job's budget for matches that have begun, since an unfinished match needs a job of its own."""

log = logging.getLogger(__name__)


LONG_MATCHES: Final = 4
"""How many house matches that were too long for one job may be under way before a round waits for them."""
LONG_PER_WORKER: Final = 2
"""The same for each worker, so that bots that think keep all workers busy."""
HELPED_FROM: Final = 128
"""From how many tables among house bots on a worker asks for help."""


class RoundJob(NamedTuple):
    """A job's view of the round that it works on."""

    ladder: Ladder
    round: Round
    plan: RoundPlan
    worker: str
    """The holder of the lease."""
    workers: int
    """How many workers may share the tables."""
    able: Mapping[str, Bot]
    """The entrants that can be seated now, by id."""
    made: list[bool]
    """Which tables are handled. `TableMaker` updates it."""
    until: float
    """When the last step begins at the latest, by the monotonic clock."""
    last: float
    """When matches that have begun must end or be continued by another job."""


class TableMaker(RoundPart):
    """Makes tables, each once."""

    def __init__(self, context: RoundContext, tables: PlannedMatches) -> None:
        super().__init__(context)
        self._tables, self._monotonic = tables, context.monotonic

    def deadlines(self, budget_s: float) -> tuple[float, float]:
        """Return `until` and `last` of a job with this budget."""
        until = self._monotonic() + budget_s
        return until, until + budget_s * SPARE

    def make(self, job: RoundJob, tables: Iterator[int], most_long: int) -> int | None:
        """Handle these tables until the time is up, the tables are, or `most_long` matches need further jobs. Return
        how many do, or `None` if the lease was lost."""
        ladder, round_ = job.ladder, job.round
        long_matches, size = 0, AT_A_TIME
        while long_matches < most_long and (batch := list(islice(tables, min(size, _share(job))))):
            began = self._monotonic()
            planned = self._tables.planned(ladder, round_, job.plan, batch, job.able, job.made)
            keys = {table: match and match.key for table, match in planned.items()}
            self._forfeited(job, [table for table, match in planned.items() if match is None])
            fresh = self._store.make(round_, job.worker, LEASE_MS, keys)
            if fresh is None:
                log.warning("ladder %s round %s: the lease was lost", ladder.id, round_.number)
                return None
            for table in batch:
                job.made[table] = True
            to_play = [match for table in fresh if (match := planned[table]) is not None]
            long_matches += self.play(ladder, round_, to_play, job.last)
            now = self._monotonic()
            if now >= job.until:
                break
            in_time = int(len(batch) * (job.until - now) / max(now - began, 0.001))
            size = max(1, min(2 * size, MOST_AT_A_TIME, in_time))
        return long_matches

    def _forfeited(self, job: RoundJob, dropped: Sequence[int]) -> None:
        """Let bots that can't be seated lose their meetings, which are dropped, where the format ranks meetings."""
        ladder, round_, plan = job.ladder, job.round, job.plan
        if not ladder.format_class.counts_no_shows or ladder.format_class.has_bracket:
            return
        sides, found = table_of(ladder.game, ladder.seats, ladder.options).sides, []
        for table in dropped:
            entrants, key = plan.tables[table].entrants, self._tables.key_of(ladder, round_, table)
            absent = [seat for seat, entrant in enumerate(entrants) if entrant.id not in job.able]
            # A group that exists has been aborted or voided, which decides what counts.
            if absent and self._context.groups.store.groups([key]) == [None]:
                seats = [ResultPlayer(each.id, each.name, each.version) for each in entrants]
                found.append(no_show(ladder.preset, key, self._store.now(), seats, sides, absent))
        if found:
            self._store.put_outcomes(ladder.id, round_.season, found)

    def play(self, ladder: Ladder, round_: Round, planned: Sequence[PlannedMatch], until: float) -> int:
        """Create these matches and play those among house bots. Return how many of them need further jobs."""
        loaded_matches = self._referee.create_all(self._tables.new(ladder, round_, planned), until)
        going_on = 0
        for match, loaded in zip(planned, loaded_matches, strict=True):
            if house_only(match.entrants) and not loaded.finished:
                # It existed already, or its bots need time to think.
                left = until - self._monotonic()
                going_on += left <= 0 or self._referee.go_on(loaded.id, left)
        return going_on


def _share(job: RoundJob) -> int:
    """Return how many tables a step may take, so that no worker waits for another's long last step."""
    if job.workers == 1:
        return MOST_AT_A_TIME
    return max(AT_A_TIME, job.made.count(False) // (2 * job.workers))


def in_order(plan: RoundPlan, made: Sequence[bool], first: int = 0) -> Iterable[int]:
    """Yield the unhandled tables in the round's order, beginning with table `first`. The tables of a group among house
    bots follow one another, so that the group ends soon; nobody could learn anything from it."""
    seen = list(made)
    count = len(plan.tables)
    for step in range(count):
        number = (first + step) % count
        table = plan.tables[number]
        together: Sequence[int] = (number,)
        if table.group is not None and not seen[number]:
            mates = plan.groups[table.group].tables
            if all(house_only(plan.tables[mate].entrants) for mate in mates):
                together = (number, *mates)
        for each in together:
            if not seen[each]:
                seen[each] = True
                yield each


MOST_TRIES: Final = 5
RETRY_MS: Final = 5_000


def is_hopeless(error: Exception) -> bool:
    """Return whether a retry can't succeed."""
    return isinstance(error, (BadTable, BadValue))


def reason_of(error: Exception) -> str:
    """Return the public reason of an error. The text of an unexpected error may contain a hand or a deck, so it is
    omitted."""
    return str(error) if is_hopeless(error) else f"an unexpected error: {type(error).__name__}"


class RoundWorker(RoundPart):
    """Works on rounds under their leases, and helps other workers under leases of its own."""

    def __init__(
        self, context: RoundContext, entrants: RoundEntrants, tables: PlannedMatches, counting: ResultCounter
    ) -> None:
        super().__init__(context)
        self._entrants, self._tables, self._counting = entrants, tables, counting
        self._maker = TableMaker(context, tables)

    def work(self, ladder_id: str, number: int, budget_s: float = BUDGET_S) -> bool:
        """Work on a round for about this long. Return whether there is more to do at once.

        Return false at once while another worker has the lease, while the service does not run, or when the round has
        ended. Only temporary errors are raised, such as a store that is away. After others the round is retried, or
        fails.
        """
        if not self._context.is_open():
            return False
        worker = random_text(16)
        lease = self._store.take_lease(ladder_id, number, worker, LEASE_MS)
        if not lease.held:
            return False
        try:
            more = self._work(ladder_id, number, worker, lease, budget_s)
        except Exception as error:
            # Either way the next worker looks for unfinished work.
            if self._is_temporary(error):
                self._store.leave_round(ladder_id, number, worker, clean=False)
                raise
            self._broke_off(ladder_id, number, worker, error)
            return False
        self._store.leave_round(ladder_id, number, worker, clean=True)
        return more

    def _work(self, ladder_id: str, number: int, worker: str, lease: Lease, budget_s: float) -> bool:
        job = self._job(ladder_id, number, worker, budget_s)
        ladder, round_, plan = job.ladder, job.round, job.plan
        if not lease.clean:
            self._recover(ladder, round_, plan, job.last)
            job = job._replace(able=self._entrants.able(ladder, round_), made=self._made(round_))
        opened = self._store.open_matches(ladder_id, number)
        busy: Counter[str] = Counter()
        among_house_bots = 0
        for table in opened.values():
            entrants = plan.tables[table].entrants
            busy.update(entrant.id for entrant in entrants if not entrant.house)
            among_house_bots += house_only(entrants)
        for bot, matches in self._context.running(list(job.able)).items():
            busy[bot] = max(busy[bot], matches)
        at_play = {plan.tables[table].group for table in opened.values()} - {None}
        if not any(job.made):
            self._context.report(ladder, round_)
        if job.workers > 1 and self._needs_help(plan, job.made):
            self._context.jobs.help_round(ladder_id, number, job.workers - 1)
        room = max(LONG_MATCHES, LONG_PER_WORKER * job.workers) - max(0, among_house_bots - lease.in_hand)
        begun = self._maker.make(job, iter(self._possible(job, busy, at_play)), room)
        if begun is None:
            return False
        if number not in self._store.rounds_under_way(ladder_id):
            self._counting.done(ladder_id, number)
            return False
        job = job._replace(made=self._made(round_))
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
        ids = list(opened)
        for start in range(0, len(ids), AT_A_TIME):
            batch = ids[start : start + AT_A_TIME]
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

    def _job(self, ladder_id: str, number: int, worker: str, budget_s: float) -> RoundJob:
        until, last = self._maker.deadlines(budget_s)
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        plan, able = self._tables.plan(ladder, round_), self._entrants.able(ladder, round_)
        made = self._made(round_)
        return RoundJob(ladder, round_, plan, worker, self._context.jobs.workers(), able, made, until, last)

    def _made(self, round_: Round) -> list[bool]:
        return self._store.made(round_.ladder, round_.number, round_.planned)

    # Help with a round among house bots

    def help(self, ladder_id: str, number: int, budget_s: float = IDLE_BUDGET_S) -> bool:
        """Handle tables among house bots for about this long. Return whether there are more.

        Return false at once if the round has ended or the service does not run. Errors are raised; the round's next
        worker meets them too and decides.
        """
        if not self._context.is_open():
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
        job = self._job(ladder_id, number, helper, budget_s)
        tables = self._among_house_bots(job)
        # One match that is too long for this job ends it: further workers don't make long matches shorter.
        return self._maker.make(job, tables, 1) == 0 and next(tables, None) is not None

    def _among_house_bots(self, job: RoundJob) -> Iterator[int]:
        first = randrange(max(1, len(job.plan.tables)))
        for table in in_order(job.plan, job.made, first):
            entrants = job.plan.tables[table].entrants
            if house_only(entrants) and accepted(entrants, job.able, job.ladder):
                yield table

    # Errors

    def _is_temporary(self, error: Exception) -> bool:
        """Return whether the cause is temporary and outside the round: a store that was away, or faster writers."""
        return self._store.is_away(error) or isinstance(error, (Busy, Overtaken))

    def _broke_off(self, ladder_id: str, number: int, worker: str, error: Exception) -> None:
        tries = self._store.broke_off(ladder_id, number, worker, RETRY_MS)
        if tries and (is_hopeless(error) or tries >= MOST_TRIES):
            self._fail(ladder_id, number, worker, reason_of(error), tries)
        elif tries == 1:
            log.warning(
                "ladder %s round %s: a step failed; trying up to %s times",
                ladder_id,
                number,
                MOST_TRIES,
                exc_info=error,
            )

    def _fail(self, ladder_id: str, number: int, worker: str, reason: str, tries: int) -> None:
        # Before the round fails, so that a crash here leaves a round that is retried.
        try:
            self._void_groups(ladder_id, number)
        except Exception as error:
            if self._is_temporary(error):
                raise
            log.exception("ladder %s round %s: could not void its incomplete groups", ladder_id, number)
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        failed = round_._replace(state=RoundState.FAILED, ended=self._store.now(), reason=reason)
        self._context.report_failed(ladder, failed)
        if self._store.fail_round(ladder_id, number, worker, reason):
            log.error("ladder %s round %s failed, try %s: %s", ladder_id, number, tries, reason)
            self._counting.done(ladder_id, number)

    def _void_groups(self, ladder_id: str, number: int) -> None:
        """Void the round's groups that lack a match, since their results could never be complete."""
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        plan = self._tables.plan(ladder, round_)
        if not plan.groups:
            return
        made = self._made(round_)
        opened = self._store.open_matches(ladder_id, number)
        there = self._referee.look_at(list(opened), round_.since) if opened else []
        lacking = {opened[match] for match, loaded in zip(opened, there, strict=True) if loaded is None}
        lacking |= {table for table, dealt_with in enumerate(made) if not dealt_with}
        self._tables.void_groups(
            ladder,
            round_,
            [
                group
                for group, planned in enumerate(plan.groups)
                if not lacking.isdisjoint(planned.tables) and any(made[table] for table in planned.tables)
            ],
        )
