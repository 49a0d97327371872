"""Continuous rounds: the next round is due as soon as the previous one has ended.

The due instant is stored in the schedule, like that of a cron expression. So it survives crashes, and the round
starts once even if several processes start it. While there is nothing to play, the clock checks the ladder at growing
intervals.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from league.ladders.model import SCHEDULES, Ladder, LadderState, Round, RoundState
from league.ladders.redis import RedisLadderStore
from league.ladders.schedule import MOST_WAIT_MS, Continuous
from league.rounds.wakes import StartDue

GATHER_MS: Final = 2_000
"""How often an arena is checked while matches are under way. Meanwhile several bots become free, so they need not
meet their last opponents."""
FAILED_WAIT_MS: Final = 15_000
"""The delay after a failed round; it doubles with each further failure in a row."""
MOST_FAILED_WAIT_MS: Final = 3_600_000
FAILURES_LOOKED_AT: Final = 20


class ContinuousRounds:
    """Starts the rounds of ladders with continuous schedules."""

    def __init__(self, store: RedisLadderStore, start_due: StartDue) -> None:
        self._store, self._start_due = store, start_due

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
            self._start_due(ladder.id, due)

    def look(self, ladder: Ladder, schedule: Continuous, due: int, now: int) -> int:
        """Check a due ladder. Return when to check it next."""
        under_way = self._store.rounds_under_way(ladder.id)
        if under_way and not ladder.format_class.overlaps_rounds:
            return now + MOST_WAIT_MS
        allowed = after_failures(self._store, ladder, now)
        if now < allowed:
            return allowed
        self._start_due(ladder.id, due)
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
