"""Making tables in steps: a worker opens the matches of some tables, creates them and plays those among house bots.

The first step of a ladder is small. Each further one is as large as the rest of the budget allows.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from league.accounts.model import Bot
from league.ladders.model import Ladder, Round
from league.ladders.redis import RedisLadderStore
from league.pairing.plan import RoundPlan
from league.rounds.entrants import house_only
from league.rounds.tables import PlannedMatch, PlannedMatches
from referee.referee import Referee

LEASE_MS: Final = 15_000
"""How long a worker or helper keeps its lease without renewing it."""
AT_A_TIME: Final = 8
"""How many tables the first step of a ladder handles."""
MOST_AT_A_TIME: Final = 256
"""The maximum for a step. Each step doubles at most, as far as its matches fit into the budget. The next job of the
ladder in this process starts with the largest step so far."""
REMEMBERED: Final = 64
"""For how many ladders a process remembers the size of steps."""
SPARE: Final = 1 / 3
"""The extra share of a job's budget for matches that have begun, since an unfinished match needs a job of its own."""

log = logging.getLogger(__name__)


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


class TableMaker:
    """Makes tables, each once."""

    def __init__(
        self,
        store: RedisLadderStore,
        referee: Referee,
        tables: PlannedMatches,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._referee, self._tables, self._monotonic = store, referee, tables, monotonic
        self._sizes: OrderedDict[str, int] = OrderedDict()

    def deadlines(self, budget_s: float) -> tuple[float, float]:
        """Return `until` and `last` of a job with this budget."""
        until = self._monotonic() + budget_s
        return until, until + budget_s * SPARE

    def make(self, job: RoundJob, tables: Iterator[int], most_long: int) -> int | None:
        """Handle these tables until the time is up, the tables are, or `most_long` matches need further jobs. Return
        how many do, or `None` if the lease was lost."""
        ladder, round_ = job.ladder, job.round
        long_matches = largest = 0
        size = self._sizes.pop(ladder.id, AT_A_TIME)
        while long_matches < most_long and (batch := list(islice(tables, min(size, _share(job))))):
            began = self._monotonic()
            planned = self._tables.planned(ladder, round_, job.plan, batch, job.able, job.made)
            keys = {table: match and match.key for table, match in planned.items()}
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
            largest = max(largest, len(batch))
            in_time = int(len(batch) * (job.until - now) / max(now - began, 0.001))
            size = max(1, min(2 * size, MOST_AT_A_TIME, in_time))
        self._sizes[ladder.id] = max(largest, AT_A_TIME)
        if len(self._sizes) > REMEMBERED:
            self._sizes.popitem(last=False)
        return long_matches

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
