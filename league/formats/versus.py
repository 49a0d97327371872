"""A against B: two bots, group after group, until a stopping rule says so.

The first two entrants are compared; with more seats the entrants after them are the same company at every table, of
which there must be exactly as many as the table has seats left (house bots, for instance). The rounds are batches of
`batch` tables, so that the rule is asked between them. The circular order changes from table to table, and with teams
the partners with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from league.errors import NothingToPlay
from league.formats.field import Field, Met, Pairing
from league.formats.seating import seated
from league.outcomes import Outcome
from league.pairing import rivals

StopRule = Callable[[Sequence[Outcome]], str | None]
"""Why there is enough, in a sentence, or `None`, from all outcomes so far in the order (ended, id)."""


class Versus(NamedTuple):
    """See the module."""

    batch: int = 20
    stop: StopRule | None = None
    most: int = 100_000
    """The most groups in all, whatever the rule says."""

    def pair(self, field: Field) -> Pairing:
        """See `Format`."""
        if len(field.entrants) != field.seats:
            raise NothingToPlay(
                f"two bots and {field.seats - 2} for company make a table of {field.seats} seats; "
                f"{len(field.entrants)} entries can play"
            )
        if rivals(field.entrants):
            raise NothingToPlay("two bots of one owner never share a table")
        played = len(field.outcomes)
        enough = self.stop(field.outcomes) if self.stop is not None else None
        if enough is not None or played >= self.most:
            return Pairing((), over=enough or f"all {self.most} groups have been played")
        tables = [field.entrants] * min(self.batch, self.most - played)
        return Pairing(seated(tables, field.sides, Met(field.outcomes), field.seed))
