"""The forecast of a ladder: its next round, and what it waits for. Read-only."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final, NamedTuple

from league.ladders.model import HAS_SEASONS, SCHEDULES, STARTS_ROUNDS, LadderState
from league.ladders.schedule import Continuous
from league.rounds.context import RoundPart

SHOWN: Final = 5
"""How many instants are listed."""


class WaitsFor(enum.StrEnum):
    """What the next round waits for."""

    STATE = "state"
    """A state of the ladder in which rounds start: open or running."""
    SERVICE = "service"
    """The service, which is paused or draining."""
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
    next_seasons: Sequence[int]
    """When seasons are due to end."""


class Forecaster(RoundPart):
    """Forecasts of ladders."""

    def forecast(self, ladder_id: str) -> Forecast:
        """Return the forecast of a ladder. Raise `NoSuchLadder`."""
        ladder = self._ladders.get(ladder_id)
        running = self._store.rounds_under_way(ladder_id)
        plays = ladder.state is LadderState.RUNNING
        continuous = isinstance(ladder.schedule, Continuous)
        seasons = ladder.season_schedule if ladder.state in HAS_SEASONS else None
        if ladder.state not in STARTS_ROUNDS:
            waits_for = WaitsFor.STATE
        elif not self._context.is_open():
            waits_for = WaitsFor.SERVICE
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
            seasons.after(self._store.now(), SHOWN) if seasons is not None else (),
        )
