"""Ladders whose rounds follow one another: the next is due as soon as one is over.

What is due stands in the list of schedules, as a cron expression's instants do, so that it survives whatever happens to
a process, and is started once however many ask. While there is nothing to play the ladder is looked at again and again,
less and less often.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from league.ladders.model import Ladder, LadderState, Round, RoundState
from league.ladders.schedule import MOST_WAIT_MS, Continuous
from league.ladders.store import SCHEDULES, LadderStore
from league.rounds.wakes import StartDue

GATHER_MS: Final = 2_000
"""How often an arena is looked at while matches are under way: meanwhile several become free, and need not meet whom
they have just met."""
FAILED_WAIT_MS: Final = 15_000
"""How long after a failed round the next one starts; twice as long after each further one in a row."""
MOST_FAILED_WAIT_MS: Final = 3_600_000
FAILURES_LOOKED_AT: Final = 20


class ContinuousRounds:
    """See the module."""

    def __init__(self, store: LadderStore, start_due: StartDue) -> None:
        self._store, self._start_due = store, start_due

    def over(self, ladder: Ladder, of: Round) -> None:
        """A round is over, and if no other is under way the next may start. One in which nothing was played is followed
        by a pause: its bots may be gone."""
        if not isinstance(ladder.schedule, Continuous) or ladder.state is not LadderState.RUNNING:
            return
        if of.state is RoundState.DONE and of.played and not self._store.rounds_under_way(ladder.id):
            # An instant has one round, however short that was.
            due = max(self._store.now(), 1 + (of.due or 0))
            self._store.set_due(SCHEDULES, ladder.id, due)
            # At once; should this come to nothing, the clock finds it due.
            self._start_due(ladder.id, due)

    def look(self, ladder: Ladder, schedule: Continuous, due: int, now: int) -> int:
        """The ladder is due to be looked at. Returns when it is next."""
        under_way = self._store.rounds_under_way(ladder.id)
        if under_way and not ladder.format_class.overlaps_rounds:
            return now + MOST_WAIT_MS
        allowed = after_failures(self._store, ladder)
        if now < allowed:
            return allowed
        self._start_due(ladder.id, due)
        return now + GATHER_MS if under_way else schedule.look_again(now, self._played(ladder))

    def _played(self, ladder: Ladder) -> int | None:
        """When something was played last."""
        number = self._store.last_round(ladder.id)
        if number == 0:
            return ladder.created
        (last,) = self._store.rounds(ladder.id, [number])
        return None if last is None or not last.played else last.ended


def after_failures(store: LadderStore, ladder: Ladder) -> int:
    """When a round of a ladder whose rounds follow one another may start: the more of them failed in a row, the
    later."""
    if not isinstance(ladder.schedule, Continuous):
        return 0
    last = store.last_round(ladder.id)
    found = store.rounds(ladder.id, range(last, max(last - FAILURES_LOOKED_AT, 0), -1))
    over = [each for each in found if each is not None and each.state is not RoundState.RUNNING]
    failed = list(takewhile(lambda each: each.state is RoundState.FAILED, over))
    if not failed:
        return 0
    wait = min(FAILED_WAIT_MS << len(failed) - 1, MOST_FAILED_WAIT_MS)
    return wait + max(each.ended or 0 for each in failed)
