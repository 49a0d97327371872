"""The forecast of a ladder: its next round, and what it waits for. Read-only."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final, NamedTuple

from league.ladders.model import HAS_SEASONS, SCHEDULES, STARTS_ROUNDS, LadderState, Round, RoundState
from league.ladders.schedule import Continuous
from league.pairing.plan import Entrant
from league.rounds.context import RoundContext, RoundPart
from league.rounds.planned_matches import PlannedMatches

SHOWN: Final = 5
"""How many instants are listed."""
MOST_LOOKED_AT: Final = 2_000
"""In rounds with more matches, bots don't see their remaining tables, since finding them would delay others."""


class WaitsFor(enum.StrEnum):
    """What the next round waits for."""

    STATE = "state"
    """A state of the ladder in which rounds start: open or running."""
    SERVICE = "service"
    """The service, which is paused or draining."""
    WORKER = "worker"
    """A worker: the start is due and queued."""
    ROUND = "round"
    """The end of the round under way."""
    INSTANT = "instant"
    """The next instant of the schedule."""
    ENTRIES = "entries"
    """Entries that fill a table, or the next season of a tournament. The clock keeps checking."""
    HAND = "hand"
    """A start by hand."""


class Forecast(NamedTuple):
    """The forecast of a ladder. Instants are in ms since 1970."""

    waits_for: WaitsFor
    next_rounds: Sequence[int]
    """When rounds are due; empty where this is unknown."""
    next_look: int | None
    """When the clock next checks whether a round can start, with a continuous schedule."""
    running: Sequence[int]
    """The numbers of the rounds under way."""
    jobs_ahead: int | None
    """How many jobs precede the due start; `None` if none is due."""
    next_seasons: Sequence[int]
    """When seasons are due to end."""


class TablesRemaining(NamedTuple):
    """The remaining tables of a bot in a round under way."""

    bot: str
    """Its full name."""
    remaining: int
    """How many of its tables have not been handled."""
    before: int | None
    """How many unhandled tables of others precede the first of them; `None` if it has none."""


class Forecaster(RoundPart):
    """Forecasts of ladders and of rounds under way."""

    def __init__(self, context: RoundContext, tables: PlannedMatches) -> None:
        super().__init__(context)
        self._tables, self._queue = tables, context.jobs

    def forecast(self, ladder_id: str) -> Forecast:
        """Return the forecast of a ladder. Raise `NoSuchLadder`."""
        ladder = self._ladders.get(ladder_id)
        running = self._store.rounds_under_way(ladder_id)
        jobs_ahead = self._queue.before_start(ladder_id)
        plays = ladder.state is LadderState.RUNNING
        continuous = isinstance(ladder.schedule, Continuous)
        seasons = ladder.season_schedule if ladder.state in HAS_SEASONS else None
        if ladder.state not in STARTS_ROUNDS:
            waits_for = WaitsFor.STATE
        elif not self._context.is_open():
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

    def jobs_ahead(self, round_: Round) -> int | None:
        """Return how many jobs precede the one that works on the round. Return `None` if none waits: a worker has the
        round, its bots have no room, or it has ended."""
        if round_.state is not RoundState.RUNNING:
            return None
        return self._queue.before_round(round_.ladder, round_.number)

    def tables(self, round_: Round, bots: Sequence[Entrant]) -> list[TablesRemaining]:
        """Return the remaining tables of these bots; none for a round that has ended or has more than
        `MOST_LOOKED_AT` matches. Tables are handled in this order, except that those whose bots have no room are
        skipped."""
        if round_.state is not RoundState.RUNNING or round_.planned > MOST_LOOKED_AT:
            return []
        made = self._store.made(round_.ladder, round_.number, round_.planned)
        plan = self._tables.plan(self._ladders.get(round_.ladder), round_)
        left = [plan.tables[table].entrants for table in range(round_.planned) if not made[table]]
        remaining = []
        for bot in bots:
            own = [place for place, entrants in enumerate(left) if bot in entrants]
            remaining.append(TablesRemaining(bot.name, len(own), own[0] if own else None))
        return remaining
