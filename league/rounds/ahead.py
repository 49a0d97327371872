"""What comes next in a ladder, and what it waits for: to be read, nothing is done."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final, NamedTuple

from league.ladders.model import HAS_SEASONS, STARTS_ROUNDS, LadderState, Round, RoundState
from league.ladders.schedule import Continuous
from league.ladders.service import Ladders
from league.ladders.store import SCHEDULES
from league.pairing.plan import Entrant
from league.rounds.permission import NewMatchGate
from league.rounds.tables import PlannedMatches
from league.rounds.wakes import JobQueuePositions

SHOWN: Final = 5
"""How many instants are told."""
MOST_LOOKED_AT: Final = 2_000
"""Of rounds of more matches bots are not told their tables: to look for them would hold up others."""


class WaitsFor(enum.StrEnum):
    """What must come before the next round."""

    STATE = "state"
    """The ladder's state: rounds start while it is open or running."""
    SERVICE = "service"
    """The service: it is paused or draining."""
    WORKER = "worker"
    """A worker: the start is due and stands in the queue."""
    ROUND = "round"
    """The end of the round under way."""
    INSTANT = "instant"
    """The next instant of the schedule."""
    ENTRIES = "entries"
    """Entries that can be seated together, or the next season of a tournament; it is looked again and again."""
    HAND = "hand"
    """Somebody who starts it by hand."""


class Forecast(NamedTuple):
    """What comes next in a ladder. Instants are ms since 1970."""

    waits_for: WaitsFor
    next_rounds: Sequence[int]
    """When rounds are due; none where nobody can know."""
    next_look: int | None
    """When it is looked whether a round can start, where rounds follow one another."""
    running: Sequence[int]
    """The numbers of the rounds under way."""
    jobs_ahead: int | None
    """How many jobs come before the start that is due; `None`: none is."""
    next_seasons: Sequence[int]
    """When seasons are due to end."""


class TablesRemaining(NamedTuple):
    """What a bot has left in a round under way."""

    bot: str
    """Its full name."""
    remaining: int
    """Its tables that were not dealt with so far."""
    before: int | None
    """How many of others, not dealt with either, come before the first of them; `None`: it has none."""


class Forecaster:
    """See the module."""

    def __init__(
        self, ladders: Ladders, permission: NewMatchGate, places: JobQueuePositions, tables: PlannedMatches
    ) -> None:
        self._ladders, self._store = ladders, ladders.store
        self._permission, self._places, self._tables = permission, places, tables

    def ahead(self, ladder_id: str) -> Forecast:
        """Raises `NoSuchLadder`."""
        ladder = self._ladders.get(ladder_id)
        running = self._store.rounds_under_way(ladder_id)
        jobs_ahead = self._places.before_start(ladder_id)
        plays = ladder.state is LadderState.RUNNING
        continuous = isinstance(ladder.schedule, Continuous)
        seasons = ladder.season_schedule if ladder.state in HAS_SEASONS else None
        if ladder.state not in STARTS_ROUNDS:
            waits_for = WaitsFor.STATE
        elif not self._permission.given():
            waits_for = WaitsFor.SERVICE
        elif jobs_ahead is not None:
            waits_for = WaitsFor.WORKER
        elif (
            running
            and not ladder.format_class.overlaps_rounds
            and (continuous or not plays or ladder.schedule is None)
        ):
            waits_for = WaitsFor.ROUND
        elif ladder.schedule is None or not plays:
            waits_for = WaitsFor.HAND
        else:
            waits_for = WaitsFor.ENTRIES if continuous else WaitsFor.INSTANT
        return Forecast(
            waits_for,
            self._ladders.next_rounds(ladder_id, SHOWN),
            self._store.due_at(SCHEDULES, ladder_id) if continuous and plays else None,
            running,
            jobs_ahead,
            seasons.after(self._store.now(), SHOWN) if seasons is not None else (),
        )

    def jobs_ahead(self, of: Round) -> int | None:
        """How many jobs come before the one that works on the round; `None`: none waits, since a worker has it, its
        bots have no room for more, or it is done."""
        return self._places.before_round(of.ladder, of.number) if of.state is RoundState.RUNNING else None

    def tables(self, of: Round, bots: Sequence[Entrant]) -> list[TablesRemaining]:
        """What these entrants of a round under way have left; nothing of one that is done, or of more matches than
        `MOST_LOOKED_AT`. The order is that in which tables come up; one whose bots have no room is passed over."""
        if of.state is not RoundState.RUNNING or of.planned > MOST_LOOKED_AT:
            return []
        made = self._store.made(of.ladder, of.number, of.planned)
        plan = self._tables.plan(self._ladders.get(of.ladder), of)
        left = [plan.tables[table].entrants for table in range(of.planned) if not made[table]]
        return [
            TablesRemaining(bot.name, len(own), own[0] if own else None)
            for bot in bots
            for own in [[place for place, entrants in enumerate(left) if bot in entrants]]
        ]
