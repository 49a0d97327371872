"""A worker's step of a round raised: the round is tried again, or it fails with a reason that everybody can read.

    the store was away, or refused for a time     tried again, however often
    a table or setting that the rules refuse      the round fails at once: no later try can end otherwise
    anything else                                 `MOST_TRIES` tries in a row, `RETRY_MS` apart, then the round fails

A failed round makes no further tables and holds up nobody: the next one may start, and a closing ladder closes. Matches
that were made are played out and count. Only a duplicate group that lacks a match can't be completed, and is void.
"""

from __future__ import annotations

import logging
from typing import Final

from engine.game import BadTable
from league.errors import BadValue, Overtaken
from league.ladders.service import Ladders
from league.rounds.counting import ResultCounter
from league.rounds.tables import PlannedMatches
from referee.errors import Busy
from referee.referee import Referee

MOST_TRIES: Final = 5
RETRY_MS: Final = 5_000

log = logging.getLogger(__name__)


def is_hopeless(error: Exception) -> bool:
    """Whether no later try can end otherwise."""
    return isinstance(error, (BadTable, BadValue))


def reason_of(error: Exception) -> str:
    """What everybody may read of an error. An unexpected one's own words may hold a hand or a deck."""
    return str(error) if is_hopeless(error) else f"an unexpected error: {type(error).__name__}"


class Failing:
    """Decides between another try and failure."""

    def __init__(
        self, ladders: Ladders, referee: Referee, tables: PlannedMatches, counting: ResultCounter
    ) -> None:
        self._ladders, self._store, self._referee = ladders, ladders.store, referee
        self._tables, self._counting = tables, counting

    def is_passing(self, error: Exception) -> bool:
        """Whether the trouble is not the round's own and passes: the store was away, or others were faster."""
        return self._store.is_away(error) or isinstance(error, (Busy, Overtaken))

    def broke_off(self, ladder_id: str, number: int, worker: str, error: Exception) -> None:
        """Note that this worker's step raised an error that `is_passing` does not excuse."""
        tries = self._store.broke_off(ladder_id, number, worker, RETRY_MS)
        if tries and (is_hopeless(error) or tries >= MOST_TRIES):
            self._fail(ladder_id, number, worker, reason_of(error), tries)
        elif tries == 1:
            log.warning(
                "ladder %s round %s: a step raised; trying up to %s times",
                ladder_id,
                number,
                MOST_TRIES,
                exc_info=error,
            )

    def _fail(self, ladder_id: str, number: int, worker: str, reason: str, tries: int) -> None:
        # Before the round is failed, so that a worker that dies here leaves a round that is tried again.
        try:
            self._void_groups(ladder_id, number)
        except Exception as error:
            if self.is_passing(error):
                raise
            log.exception("ladder %s round %s: its incomplete groups are not void", ladder_id, number)
        if self._store.fail_round(ladder_id, number, worker, reason):
            log.error("ladder %s round %s failed, try %s: %s", ladder_id, number, tries, reason)
            self._counting.done(ladder_id, number)

    def _void_groups(self, ladder_id: str, number: int) -> None:
        """Make the round's groups void that lack a match: nobody could ever see what came of the others."""
        ladder, of = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        plan = self._tables.plan(ladder, of)
        if not plan.groups:
            return
        made = self._store.made(ladder_id, number, of.planned)
        opened = self._store.open_matches(ladder_id, number)
        there = self._referee.look_at(list(opened)) if opened else []
        lacking = {opened[match] for match, live in zip(opened, there, strict=True) if live is None}
        lacking |= {table for table, dealt_with in enumerate(made) if not dealt_with}
        self._tables.void_groups(
            ladder,
            of,
            [
                group
                for group, planned in enumerate(plan.groups)
                if not lacking.isdisjoint(planned.tables) and any(made[table] for table in planned.tables)
            ],
        )
