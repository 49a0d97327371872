"""The clock's part in rounds: it starts due rounds and wakes workers for rounds without one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final

from league.errors import LeagueError
from league.ladders.due import RETRY_MS, each_due
from league.ladders.model import DUE, ROUNDS, SCHEDULES, SEASONS, Ladder, LadderState, Round, RoundState
from league.ladders.redis import RedisLadderStore
from league.ladders.schedule import MOST_WAIT_MS, Continuous, Schedule
from league.rounds.context import RoundContext, RoundPart
from records.errors import RefereeError
from referee.errors import ServiceDraining, ServicePaused, StorageFull

GATHER_MS: Final = 2_000
"""How often an arena is checked while matches are under way. Meanwhile several bots become free, so they need not
meet their last opponents."""
FAILED_WAIT_MS: Final = 15_000
"""The delay after a failed round; it doubles with each further failure in a row."""
MOST_FAILED_WAIT_MS: Final = 3_600_000
FAILURES_LOOKED_AT: Final = 20


class ContinuousRounds(RoundPart):
    """Starts the rounds of ladders with continuous schedules."""

    def over(self, ladder: Ladder, round_: Round) -> None:
        """Start the next round after one that has ended, if no other is under way. After a round without a played
        match the clock waits, since its bots may be gone."""
        if not isinstance(ladder.schedule, Continuous) or ladder.state is not LadderState.RUNNING:
            return
        if round_.state is RoundState.DONE and round_.played and not self._store.rounds_under_way(ladder.id):
            # An instant has one round, so a very short round needs a later one.
            due = max(self._store.now(), 1 + (round_.due or 0))
            self._store.set_due(SCHEDULES, ladder.id, due)
            # Start at once. If this fails, the clock finds the round due.
            self._context.jobs.start_due(ladder.id, due)

    def look(self, ladder: Ladder, schedule: Continuous, due: int, now: int) -> int:
        """Check a due ladder. Return when to check it next."""
        under_way = self._store.rounds_under_way(ladder.id)
        if under_way and not ladder.format_class.overlaps_rounds:
            return now + MOST_WAIT_MS
        allowed = after_failures(self._store, ladder, now)
        if now < allowed:
            return allowed
        self._context.jobs.start_due(ladder.id, due)
        return now + GATHER_MS if under_way else schedule.look_again(now, self._played(ladder))

    def _played(self, ladder: Ladder) -> int | None:
        """Return when the last match was played."""
        number = self._store.last_round(ladder.id)
        if number == 0:
            return ladder.created
        (last,) = self._store.rounds(ladder.id, [number])
        return None if last is None or not last.played else last.ended


def after_failures(store: RedisLadderStore, ladder: Ladder, now: int) -> int:
    """Return when a continuous ladder may start a round. Each failed round in a row doubles the delay. A round that
    ended at a later time than now did so before Redis's clock was set back."""
    if not isinstance(ladder.schedule, Continuous):
        return 0
    last = store.last_round(ladder.id)
    found = store.rounds(ladder.id, range(last, max(last - FAILURES_LOOKED_AT, 0), -1))
    over = [each for each in found if each is not None and each.state is not RoundState.RUNNING]
    failed = list(takewhile(lambda each: each.state is RoundState.FAILED, over))
    if not failed:
        return 0
    wait = min(FAILED_WAIT_MS << len(failed) - 1, MOST_FAILED_WAIT_MS)
    return wait + min(now, max(each.ended or 0 for each in failed))


LOOK_MS: Final = 5_000
"""How often a round that waits for its matches is checked."""
WOKEN_AT_ONCE: Final = 20
"""About how many rounds of a ladder are checked at a time."""


class RoundTimer(RoundPart):
    """Starts due rounds and wakes workers."""

    def __init__(
        self, context: RoundContext, continuing: ContinuousRounds, start: Callable[[str, int], Round]
    ) -> None:
        """`start` opens the round of a due instant."""
        super().__init__(context)
        self._continuing, self._start = continuing, start

    def tick(self, most: int = 100) -> int:
        """Start due rounds and wake workers for rounds without one. Several processes may call it at once. Return the
        number of ladders checked."""
        scheduled = each_due(self._store, SCHEDULES, most if self._context.is_open() else 0, self._scheduled)
        return scheduled + each_due(self._store, ROUNDS, most, self._waiting)

    def start_due(self, ladder_id: str, due: int) -> None:
        """Open the round that is due at this instant, once, and move the ladder's schedule on. Raise what `start`
        raises. While nothing new may be created, and after any other error than a refusal, the instant stays due."""
        try:
            self._start(ladder_id, due)
        except (ServicePaused, ServiceDraining, StorageFull):
            raise
        except (LeagueError, RefereeError):
            self._move_due(ladder_id, due)
            raise
        self._move_due(ladder_id, due)

    def _move_due(self, ladder_id: str, due: int) -> None:
        """Move the due instant of a ladder. A continuous ladder's moves by itself."""
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
                self._context.jobs.start_due(ladder_id, due)
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
                self._context.wake_round(ladder_id, number)
        self._store.move_due(ROUNDS, ladder_id, due, now + LOOK_MS)


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
