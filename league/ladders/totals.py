"""Totals of a ladder: a line of sums for each bot, and one for each bot against each other bot. Pure.

Each match adds a `TotalsDelta` to a line, and a void match subtracts it again. The moments are sums over groups
(`records.results.group_statistics`); a match outside groups is a group of its own. So mean and interval follow from
the line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from records.results.group_statistics import DEALS, POINTS, Estimate, GroupStatistics, per_deal

FIGURES: Final = 2
"""The figures of a group: deals and points."""
_NO_GROUP: Final = GroupStatistics.none(FIGURES)


class TotalsDelta(NamedTuple):
    """What a match adds to a line."""

    wins: int
    """In standings, first places, shared ones included; in the cross table, better places than the opponent."""
    second: int
    """In standings, forfeits; in the cross table, equal places."""
    deals: int
    points: int
    matches: int = 1


@dataclass(frozen=True)
class Totals:
    """A line of sums."""

    matches: int = 0
    wins: int = 0
    second: int = 0
    """As `TotalsDelta.second`."""
    moments: GroupStatistics = _NO_GROUP

    @property
    def deals(self) -> int:
        return int(self.moments.sums[DEALS])

    @property
    def points(self) -> int:
        return int(self.moments.sums[POINTS])

    @cached_property
    def estimate(self) -> Estimate | None:
        """Points per deal with the interval; `None` before the first deal."""
        return per_deal(self.moments)

    @property
    def points_per_deal(self) -> float | None:
        """The mean alone; `None` before the first deal."""
        return self.estimate and self.estimate.mean
