"""Rounds whose work raises: they are retried, or fail with a public reason.

    the store was away, or refused for a time     retried without limit
    a table or setting that the rules refuse      the round fails at once, since retries can't help
    any other error                               `MOST_TRIES` tries in a row, `RETRY_MS` apart, then the round fails

A failed round makes no further tables and blocks nothing: the next round may start, and a closing ladder closes. Its
existing matches are played and count. Only a duplicate group that lacks a match is voided, since it can't be
completed.
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
    """Return whether a retry can't succeed."""
    return isinstance(error, (BadTable, BadValue))


def reason_of(error: Exception) -> str:
    """Return the public reason of an error. The text of an unexpected error may contain a hand or a deck, so it is
    omitted."""
    return str(error) if is_hopeless(error) else f"an unexpected error: {type(error).__name__}"


class RoundFailures:
    """Handles errors in the work on rounds: the round is retried, or fails."""

    def __init__(
        self, ladders: Ladders, referee: Referee, tables: PlannedMatches, counting: ResultCounter
    ) -> None:
        self._ladders, self._store, self._referee = ladders, ladders.store, referee
        self._tables, self._counting = tables, counting

    def is_temporary(self, error: Exception) -> bool:
        """Return whether the cause is temporary and outside the round: a store that was away, or faster writers."""
        return self._store.is_away(error) or isinstance(error, (Busy, Overtaken))

    def broke_off(self, ladder_id: str, number: int, worker: str, error: Exception) -> None:
        tries = self._store.broke_off(ladder_id, number, worker, RETRY_MS)
        if tries and (is_hopeless(error) or tries >= MOST_TRIES):
            self._fail(ladder_id, number, worker, reason_of(error), tries)
        elif tries == 1:
            log.warning(
                "ladder %s round %s: a step failed; trying up to %s times",
                ladder_id,
                number,
                MOST_TRIES,
                exc_info=error,
            )

    def _fail(self, ladder_id: str, number: int, worker: str, reason: str, tries: int) -> None:
        # Before the round fails, so that a crash here leaves a round that is retried.
        try:
            self._void_groups(ladder_id, number)
        except Exception as error:
            if self.is_temporary(error):
                raise
            log.exception("ladder %s round %s: could not void its incomplete groups", ladder_id, number)
        if self._store.fail_round(ladder_id, number, worker, reason):
            log.error("ladder %s round %s failed, try %s: %s", ladder_id, number, tries, reason)
            self._counting.done(ladder_id, number)

    def _void_groups(self, ladder_id: str, number: int) -> None:
        """Void the round's groups that lack a match, since their results could never be complete."""
        ladder, round_ = self._ladders.get(ladder_id), self._ladders.round(ladder_id, number)
        plan = self._tables.plan(ladder, round_)
        if not plan.groups:
            return
        made = self._store.made(ladder_id, number, round_.planned)
        opened = self._store.open_matches(ladder_id, number)
        there = self._referee.look_at(list(opened), round_.since) if opened else []
        lacking = {opened[match] for match, loaded in zip(opened, there, strict=True) if loaded is None}
        lacking |= {table for table, dealt_with in enumerate(made) if not dealt_with}
        self._tables.void_groups(
            ladder,
            round_,
            [
                group
                for group, planned in enumerate(plan.groups)
                if not lacking.isdisjoint(planned.tables) and any(made[table] for table in planned.tables)
            ],
        )
