"""The jobs. Each may be repeated, run by two workers at once, or stop anywhere; the services that it calls allow
this.

A job works for one or two seconds at most. Another job does the rest.
"""

from __future__ import annotations

import logging
import time

from league.budgets import BUDGET_S, IDLE_BUDGET_S
from league.errors import LeagueError
from league.reviews.studies import StudyPlace
from records.errors import RefereeError
from referee.archive.segment import BadSegment
from referee.object_store import ArchiveAway
from workers import context, webhooks

log = logging.getLogger(__name__)


def play_house(match: str) -> None:
    """Play a turn: moves of the house bots of the match whose turn it is. If the budget ends first, the outbox lets
    that match wait for another turn."""
    services = context.services()
    current = services.queue.turns.take()
    if current is not None:
        services.league.referee.go_on(current, BUDGET_S)


def play_round(ladder: str, number: int) -> None:
    """Work on a round of a ladder."""
    services = context.services()
    rounds = services.league.rounds
    if rounds.work(ladder, number, BUDGET_S):
        services.queue.wake_round(ladder, number, rounds.epoch(ladder, number))


def help_round(ladder: str, number: int) -> None:
    """Help with a round of a ladder."""
    services = context.services()
    if services.league.rounds.help(ladder, number, IDLE_BUDGET_S):
        services.queue.keep_helping(ladder, number)


def rate(preset: str) -> None:
    """Fit the ratings of a preset to its groups."""
    context.services().league.ratings.catch_up(preset)


def review(review: str) -> None:
    """Review decisions of a finished match. Then the reviews that have waited longest get the next jobs."""
    reviews = context.services().league.reviews
    reviews.work(review, IDLE_BUDGET_S)
    reviews.tick(most=1)


def hint(match: str, turn: int) -> None:
    """Compute the hint for which a person waits."""
    context.services().league.hints.work(match, turn)


def study(match: str, deal: int, move: int, line: list[str], owner: str) -> None:
    """Solve a position of a finished match for an owner."""
    context.services().league.studies.work(StudyPlace(match, deal, move, tuple(line)), owner)


def regret() -> None:
    """Solve endings of finished matches for the regret of bots. The next job continues, until no match waits."""
    services = context.services()
    if services.league.regret.work(IDLE_BUDGET_S):
        services.queue.wake_regret()


def archive() -> None:
    """Move a segment of old matches to the archive. The next job continues, until no full segment is left."""
    services = context.services()
    try:
        moved = services.league.archive_old()
    except ArchiveAway as error:
        log.error("no match was archived: %s", error)
        return
    if moved:
        services.queue.keep_archiving()


def dump(minute: int, number: int) -> None:
    """Write some of the dump of a past month. The next job continues, until the clock starts a new chain of jobs."""
    services = context.services()
    until = time.monotonic() + IDLE_BUDGET_S
    try:
        while more := services.league.write_dump():
            if time.monotonic() >= until:
                break
    except (ArchiveAway, BadSegment) as error:
        log.error("no dump was written: %s", error)
        return
    if more:
        services.queue.keep_dumping(minute, number + 1)


def deliver() -> None:
    """Send messages of webhooks that are due. The clock enqueues the next job."""
    until = time.monotonic() + IDLE_BUDGET_S
    while context.services().league.webhooks.deliver(webhooks.send) and time.monotonic() < until:
        pass


def start_round(ladder: str, due: int) -> None:
    """Start a due round. The start is skipped if the previous round is under way, nothing can be played or the ladder
    no longer runs. While the service does not run, it is postponed."""
    try:
        context.services().league.rounds.start_due(ladder, due)
    except (LeagueError, RefereeError) as refusal:
        log.info("ladder %s: no round started for %s: %s", ladder, due, refusal)
