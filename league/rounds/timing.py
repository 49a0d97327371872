"""The clock's part in rounds: it starts due rounds and wakes workers for rounds without one."""

from __future__ import annotations

from typing import Final

from league.ladders.due import each_due
from league.ladders.model import ROUNDS, SCHEDULES, LadderState
from league.ladders.schedule import Continuous, Schedule
from league.ladders.service import Ladders
from league.rounds.continuing import ContinuousRounds
from league.rounds.permission import NewMatchGate
from league.rounds.wakes import StartDue, Wakes

LOOK_MS: Final = 5_000
"""How often a round that waits for its matches is checked."""
WOKEN_AT_ONCE: Final = 20
"""About how many rounds of a ladder are checked at a time."""


class RoundTimer:
    """Starts due rounds and wakes workers."""

    def __init__(
        self,
        ladders: Ladders,
        gate: NewMatchGate,
        wakes: Wakes,
        start_due: StartDue,
        continuing: ContinuousRounds,
    ) -> None:
        self._ladders, self._store = ladders, ladders.store
        self._gate, self._wakes = gate, wakes
        self._start_due, self._continuing = start_due, continuing

    def tick(self, most: int = 100) -> int:
        """Start due rounds and wake workers for rounds without one. Several processes may call it at once. Return the
        number of ladders checked."""
        scheduled = each_due(self._store, SCHEDULES, most if self._gate.is_open() else 0, self._scheduled)
        return scheduled + each_due(self._store, ROUNDS, most, self._waiting)

    def started(self, ladder_id: str, due: int) -> None:
        """Move the due instant of a ladder that was started, or refused, for it. A continuous ladder's moves by
        itself."""
        ladder = self._store.ladder(ladder_id)
        if ladder is not None and isinstance(ladder.schedule, Schedule):
            self._store.move_due(SCHEDULES, ladder_id, due, ladder.schedule.look(self._store.now()))

    def _scheduled(self, ladder_id: str, due: int, now: int) -> None:
        ladder = self._store.ladder(ladder_id)
        following: int | None = None
        if ladder is not None and ladder.schedule is not None and ladder.state is LadderState.RUNNING:
            # Missed starts become this one; the next lies in the future.
            if isinstance(ladder.schedule, Continuous):
                following = self._continuing.look(ladder, ladder.schedule, due, now)
            else:
                # The job moves the due instant. Until then it is enqueued again, so no start depends on the queue.
                self._start_due(ladder_id, due)
                return
        self._store.move_due(SCHEDULES, ladder_id, due, following)

    def _waiting(self, ladder_id: str, due: int, now: int) -> None:
        under_way = self._store.rounds_under_way(ladder_id)
        if not under_way:
            if self._store.ladder(ladder_id) is not None:
                self._ladders.close_if_done(ladder_id)
            self._store.move_due(ROUNDS, ladder_id, due, None)
            return
        # An arena may have very many: check a part of them each time.
        parts = -(-len(under_way) // WOKEN_AT_ONCE)
        for number in under_way:
            if (number + now // LOOK_MS) % parts == 0:
                self._wakes(ladder_id, number)
        self._store.move_due(ROUNDS, ladder_id, due, now + LOOK_MS)
