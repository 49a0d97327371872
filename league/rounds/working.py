"""Work on a round under its lease: the worker handles tables, each once.

A worker opens the matches of some tables, then creates them. A worker that takes over looks for open matches that
were never created, or that ended unnoticed. The worker plays matches among house bots to their end, without storing
each move where all bots answer at once. It creates matches with remote bots up to each bot's maximum; the round
continues when some end. Ended matches are counted like any match, by the process that receives them.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from league.accounts.model import Bot
from league.ladders.model import Ladder, Round
from league.ladders.service import Ladders
from league.ladders.store import ROUNDS
from league.pairing.plan import RoundPlan
from league.rounds.counting import ResultCounter
from league.rounds.entrants import RoundEntrants, Running, accepted, house_only
from league.rounds.failing import Failing
from league.rounds.permission import NewMatchGate
from league.rounds.tables import PlannedMatch, PlannedMatches
from league.rounds.timing import LOOK_MS
from referee.ids import random_text
from referee.referee import Referee

LEASE_MS: Final = 15_000
"""How long a worker keeps a round without renewing its lease."""
AT_A_TIME: Final = 8
"""How many tables the first step of a ladder handles."""
MOST_AT_A_TIME: Final = 256
"""The maximum for a step. Each step doubles at most, as far as its matches fit into the budget. The next job of the
ladder in this process starts with the largest step so far."""
REMEMBERED: Final = 64
"""For how many ladders a process remembers the size of steps."""
SPARE: Final = 1 / 3
"""The extra share of a job's budget for matches that have begun, since an unfinished match needs a job of its own."""
LONG_MATCHES: Final = 4
"""How many house matches that were too long for one job may be under way before a round waits for them."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class RoundWorker:
    """Works on rounds."""

    def __init__(
        self,
        ladders: Ladders,
        referee: Referee,
        permission: NewMatchGate,
        entrants: RoundEntrants,
        tables: PlannedMatches,
        counting: ResultCounter,
        failing: Failing,
        running: Running | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Without `running` a round counts only its own matches."""
        self._ladders, self._store, self._referee = ladders, ladders.store, referee
        self._permission, self._entrants = permission, entrants
        self._tables, self._counting, self._failing = tables, counting, failing
        self._running, self._monotonic = running, monotonic
        self._sizes: OrderedDict[str, int] = OrderedDict()

    def work(self, ladder_id: str, number: int, budget_s: float = 1.5) -> bool:
        """Work on a round for about this long. Return whether there is more to do at once.

        Return false at once while another worker has the lease, while the service does not run, or when the round has
        ended. `Failing` handles errors of the round; only temporary errors are raised, such as a store that is away.
        """
        if not self._permission.given():
            return False
        worker = random_text(16)
        lease = self._store.take_lease(ladder_id, number, worker, LEASE_MS)
        if not lease.held:
            return False
        try:
            more = self._work(ladder_id, number, worker, lease.clean, budget_s)
        except Exception as error:
            # Either way the next worker looks for unfinished work.
            if self._failing.is_passing(error):
                self._store.give_lease(ladder_id, number, worker, clean=False)
                raise
            self._failing.broke_off(ladder_id, number, worker, error)
            return False
        self._store.give_lease(ladder_id, number, worker, clean=True)
        return more

    def _work(self, ladder_id: str, number: int, worker: str, clean: bool, budget_s: float) -> bool:
        until = self._monotonic() + budget_s
        last = until + budget_s * SPARE
        ladder = self._ladders.get(ladder_id)
        round_ = self._ladders.round(ladder_id, number)
        plan = self._tables.plan(ladder, round_)
        if not clean:
            self._recover(ladder, round_, plan, last)
        able = self._entrants.able(ladder, round_)
        opened = self._store.open_matches(ladder_id, number)
        busy: Counter[str] = Counter()
        long_matches = 0
        for table in opened.values():
            entrants = plan.tables[table].entrants
            busy.update(entrant.id for entrant in entrants if not entrant.house)
            long_matches += house_only(entrants)
        for bot, matches in self._elsewhere(able).items():
            busy[bot] = max(busy[bot], matches)
        at_play = {plan.tables[table].group for table in opened.values()} - {None}
        made = self._store.made(ladder_id, number, round_.planned)
        possible = iter(self._possible(ladder, _in_order(plan, made), plan, able, busy, at_play))
        size, largest = self._sizes.pop(ladder_id, AT_A_TIME), 0
        while long_matches < LONG_MATCHES and (batch := list(islice(possible, size))):
            began = self._monotonic()
            places = self._tables.places(ladder, round_, plan, batch, able, made)
            tickets = {table: place and place.ticket for table, place in places.items()}
            fresh = self._store.make(round_, worker, LEASE_MS, tickets)
            if fresh is None:
                log.warning("ladder %s round %s: the lease was lost", ladder_id, number)
                return False
            for table in fresh:
                made[table] = True
            to_play = [place for table in fresh if (place := places[table]) is not None]
            long_matches += self._play(ladder, round_, to_play, last)
            now = self._monotonic()
            if now >= until:
                break
            largest = max(largest, len(batch))
            in_time = int(len(batch) * (until - now) / max(now - began, 0.001))
            size = max(1, min(2 * size, MOST_AT_A_TIME, in_time))
        self._sizes[ladder_id] = max(largest, AT_A_TIME)
        if len(self._sizes) > REMEMBERED:
            self._sizes.popitem(last=False)
        if number not in self._store.rounds_under_way(ladder_id):
            self._counting.done(ladder_id, number)
            return False
        made = self._store.made(ladder_id, number, round_.planned)
        left = self._possible(ladder, _in_order(plan, made), plan, able, busy, at_play)
        more = long_matches < LONG_MATCHES and any(True for _ in left)
        if not ladder.format_class.overlaps_rounds:
            # Where rounds overlap, work on one must not delay the check of another whose worker died.
            self._store.set_due(ROUNDS, ladder_id, self._store.now() + (LEASE_MS if more else LOOK_MS))
        return more

    def _possible(
        self,
        ladder: Ladder,
        pending: Iterable[int],
        plan: RoundPlan,
        able: Mapping[str, Bot],
        busy: Counter[str],
        at_play: set[int | None],
    ) -> Iterable[int]:
        """Yield the tables whose bots have room, which they take, and the tables to be dropped. A remote bot sits at
        one table of a group at a time."""
        for table in pending:
            entrants, group, _ = plan.tables[table]
            remote = [entrant.id for entrant in entrants if not entrant.house]
            if not accepted(entrants, able, ladder):
                yield table
            elif group not in at_play and all(
                busy[bot] < able[bot].match_policy.max_matches for bot in remote
            ):
                busy.update(remote)
                if group is not None and remote:
                    at_play.add(group)
                yield table

    def _play(self, ladder: Ladder, round_: Round, places: Sequence[PlannedMatch], until: float) -> int:
        """Create these matches and play those among house bots. Return how many of them continue on their own."""
        lives = self._referee.create_all(self._tables.new(ladder, round_, places), until)
        going_on = 0
        for place, live in zip(places, lives, strict=True):
            if house_only(place.entrants) and not live.finished:
                # It existed already, or its bots need time to think.
                left = until - self._monotonic()
                going_on += left <= 0 or self._referee.go_on(live.id, left)
        return going_on

    def _recover(self, ladder: Ladder, round_: Round, plan: RoundPlan, until: float) -> None:
        """Repair what the previous worker left unfinished: matches never created, ends unnoticed."""
        opened = self._store.open_matches(ladder.id, round_.number)
        for batch in _batches(opened, AT_A_TIME):
            over, never_made = [], []
            for match, live in zip(batch, self._referee.look_at(batch), strict=True):
                if live is None and match in self._referee.store.unreadable:
                    continue
                if live is None:
                    never_made.append(opened[match])
                elif live.finished and live.config.group is None:
                    over.append([live])
            self._counting.on_readable(over)
            self._play(ladder, round_, self._tables.announced(ladder, round_, plan, never_made), until)

    def _elsewhere(self, able: Mapping[str, Bot]) -> Mapping[str, int]:
        return {} if self._running is None else self._running(list(able))


def _in_order(plan: RoundPlan, made: Sequence[bool]) -> Iterable[int]:
    """Yield the unhandled tables in the round's order. The tables of a group among house bots follow one another, so
    that the group ends soon; nobody could learn anything from it."""
    seen = list(made)
    for number, table in enumerate(plan.tables):
        together: Sequence[int] = (number,)
        if table.group is not None and not seen[number]:
            mates = plan.groups[table.group].tables
            if all(house_only(plan.tables[mate].entrants) for mate in mates):
                together = (number, *mates)
        for each in together:
            if not seen[each]:
                seen[each] = True
                yield each


def _batches(things: Iterable[T], most: int) -> Iterable[list[T]]:
    batch = []
    for thing in things:
        batch.append(thing)
        if len(batch) == most:
            yield batch
            batch = []
    if batch:
        yield batch
