"""Due instants that Redis's clock noted while it was ahead.

A clock that jumps ahead makes ladders due, and their next instants then lie further ahead than their schedules say.
When it is back, nothing would happen until it gets there again. So the clock process compares now and then.
"""

from __future__ import annotations

from typing import Final

from league.ladders.due import RETRY_MS
from league.ladders.model import DUE, SCHEDULES, SEASONS
from league.ladders.redis import RedisLadderStore
from league.ladders.schedule import MOST_WAIT_MS, Continuous
from league.rounds.continuing import after_failures

LATEST_MS: Final = RETRY_MS
"""The longest delay between two checks that follow no schedule."""


class DueInstants:
    """Brings forward what is due later than it can be."""

    def __init__(self, store: RedisLadderStore) -> None:
        self._store = store

    def tick(self) -> int:
        """Compare all due instants with the present time. Return how many were moved."""
        now, moved = self._store.now(), 0
        for what in DUE:
            nearest = now if what in (SCHEDULES, SEASONS) else now + LATEST_MS
            for ladder, due in self._store.due_later(what, nearest):
                latest = self._latest(what, ladder, now)
                if latest is not None and due > latest:
                    moved += self._store.move_due(what, ladder, due, latest)
        return moved

    def _latest(self, what: str, ladder_id: str, now: int) -> int | None:
        """Return the last instant that can be noted for a ladder at this time; `None` if it follows no schedule any
        more, and its check removes it."""
        if what not in (SCHEDULES, SEASONS):
            return now
        ladder = self._store.ladder(ladder_id)
        schedule = (
            None if ladder is None else ladder.schedule if what == SCHEDULES else ladder.season_schedule
        )
        if ladder is None or schedule is None:
            return None
        if isinstance(schedule, Continuous):
            return max(now + MOST_WAIT_MS, after_failures(self._store, ladder, now))
        return schedule.look(now)
