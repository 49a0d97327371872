"""Batches: matches that are created all or none, whatever dies.

Everything that may refuse a match is checked first. Storing the batch is the one step that decides: after it every
match is created, by this process or by the clock process. Each match has its id beforehand, so that it is created
once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from engine.game import BadTable
from league.accounts.eligibility import Eligibility
from league.accounts.model import Bot
from league.errors import BotUnavailable
from league.queue.model import DropReason, MatchBatch
from league.queue.redis import RedisQueueStore
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch, drafted
from referee.referee import Referee

AT_ONCE: Final = 16
"""How many batches the clock process finishes in a second."""
_NO_SECRET: Final = bytes(32)

log = logging.getLogger(__name__)


class MatchBatches:
    """Creates batches of casual matches. Safe to share between greenlets and threads."""

    def __init__(self, store: RedisQueueStore, referee: Referee, eligibility: Eligibility) -> None:
        self._store, self._referee, self._eligibility = store, referee, eligibility

    def create(self, batch: MatchBatch, bots: Sequence[Sequence[Bot | None]], challenger: str) -> list[str]:
        """Create the matches of a batch and return their ids. `bots` are the bots by match and seat, `challenger` is
        the name of the caller's owner. Safe to repeat.

        Raise `BadTable` or `BotUnavailable`, which name the match by its place; then none is created.
        """
        ids = [match.id or "" for match in batch.matches]
        since = batch.matches[0].since
        if self._store.unfinished(batch.id) is not None or None not in self._referee.look_at(ids, since):
            self.finish(batch)
            return ids
        for place, match in enumerate(batch.matches):
            check_table(match, f"matches.{place}.")
        with ExitStack() as slots:
            accepted = set()
            for place, (match, company) in enumerate(zip(batch.matches, bots, strict=True)):
                clock = match.clock or ClockRule()
                wish = (match.game, clock, match.assist, *(bot and bot.id for bot in company))
                try:
                    if wish not in accepted:
                        self._eligibility.check(company, match.game, clock, challenger, match.assist)
                    slots.enter_context(self._eligibility.reserved(ids[place], company))
                except BotUnavailable as refusal:
                    raise BotUnavailable(f"matches.{place}: {refusal}", **refusal.details) from refusal
                accepted.add(wish)
            self._store.put(batch)
        self.finish(batch)
        return ids

    def finish(self, batch: MatchBatch) -> list[LoadedMatch]:
        """Create the missing matches of a stored batch and remove it. Safe to repeat and to run concurrently."""
        try:
            made = self._referee.create_all(batch.matches)
        except BadTable as why:  # the rules have changed since it was stored
            log.error("batch %s can't be created: %s", batch.id, why)
            self._store.done(batch, DropReason.FAILED)
            return []
        self._store.done(batch)
        return made

    def tick(self) -> int:
        """Finish the batches of processes that died. Return how many.

        A batch that fails stops no other and is due again later. Its error is raised after all batches.
        """
        due = self._store.due(AT_ONCE)
        errors = []
        for batch in due:
            try:
                self.finish(batch)
            except Exception as error:
                self._store.unfinished(batch.id)  # raises if the store is away
                errors.append(error)
        if errors:
            raise errors[0]
        return len(due)


def check_table(match: NewMatch, where: str = "") -> None:
    """Raise `BadTable` if the match can't be set up. `where` precedes the name of the field."""
    try:
        drafted(match, "", _NO_SECRET)
    except BadTable as why:
        raise BadTable(f"{where}{why.field}", why.value, why.expected) from why
