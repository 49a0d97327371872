"""What a ladder keeps of its matches: a line of sums for each bot, and one for each bot against each other. Pure.

A line grows by what each match adds to it (`TotalsDelta`), and shrinks by the same when the match is void after all.
Its moments are over groups (`league.results.group_statistics`), a match of no duplicate group being one of its own,
so that mean and interval follow from the line alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from league.results.group_statistics import DEALS, POINTS, Estimate, GroupStatistics, per_deal

FIGURES: Final = 2
"""Of a group: deals and points."""
_OF_POINTS: Final = (0, 1)
_NO_GROUP: Final = GroupStatistics.none(FIGURES)


class TotalsDelta(NamedTuple):
    """What a match adds to a line."""

    wins: int
    """In the standings a first place, a shared one too; against another bot the better place of the two."""
    second: int
    """In the standings a forfeit; against another bot the same place."""
    deals: int
    points: int
    matches: int = 1


@dataclass(frozen=True)
class Totals:
    """See the module."""

    matches: int = 0
    wins: int = 0
    second: int = 0
    """See `TotalsDelta`."""
    moments: GroupStatistics = _NO_GROUP

    @property
    def deals(self) -> int:
        """Deals that were dealt."""
        return int(self.moments.sums[DEALS])

    @property
    def points(self) -> int:
        """The sum of the scores."""
        return int(self.moments.sums[POINTS])

    @cached_property
    def estimate(self) -> Estimate | None:
        """Points per deal with the interval; `None` before the first deal."""
        return per_deal((self.moments, _OF_POINTS))

    @property
    def points_per_deal(self) -> float | None:
        """`None` before the first deal."""
        return self.estimate and self.estimate.mean
