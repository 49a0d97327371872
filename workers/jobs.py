"""The jobs. Each may be done twice, by two workers at once, or be broken off anywhere: what they call sees to that.

A job is one to two seconds of work at most; what is left is another job's.
"""

from __future__ import annotations

import logging
import time
from typing import Final

from league.errors import LeagueError
from league.ratings.book import AT_ONCE
from referee.errors import RefereeError
from workers import context

BUDGET_S: Final = 1.5
IDLE_BUDGET_S: Final = 0.5
"""Of a job that nobody waits for: somebody else's may come while it is at work."""

log = logging.getLogger(__name__)


def play_house(match: str) -> None:
    """Ask the house bots of a match on. If they are not done, the referee's outbox says so, and the deadline loop
    makes the next job of it."""
    context.services().referee.go_on(match, BUDGET_S)


def play_round(ladder: str, number: int) -> None:
    """Work on a ladder's round."""
    services = context.services()
    rounds = services.rounds
    if rounds.work(ladder, number, BUDGET_S):
        services.queue.wake_round(ladder, number, rounds.epoch(ladder, number))


def rate(preset: str) -> None:
    """Rate the groups of a preset that wait. If they are too many, the clock makes the next job of the rest."""
    until = time.monotonic() + BUDGET_S
    while (left := until - time.monotonic()) > 0:
        if context.services().ratings.catch_up(preset, AT_ONCE, left) < AT_ONCE:
            break


def adjust(ladder: str) -> None:
    """Reckon the luck of what a ladder has played."""
    services = context.services()
    if services.adjusting.work(ladder, IDLE_BUDGET_S):
        services.queue.wake_luck(ladder)


def start_round(ladder: str, due: int) -> None:
    """Start the round that is due. A start that finds the round before still under way, nothing to play or the
    ladder no longer running is left out, and the next comes by the schedule; while the service does not run it is put
    off."""
    try:
        context.services().rounds.start(ladder, due)
    except (LeagueError, RefereeError) as refusal:
        log.info("ladder %s: no round for %s: %s", ladder, due, refusal)
