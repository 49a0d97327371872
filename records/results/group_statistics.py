"""Points per deal with 95 % intervals, in closed form from sums over groups. Pure.

A bot's statistics are sums over its groups (`GroupStatistics`). Groups can be added and subtracted exactly, in any
order, since deals and points are whole numbers.

Points per deal are a ratio of sums, R = Σ points / Σ deals. Groups are independent; deals within a group are not. So
the variance is that of a ratio over groups, to first order: n/(n-1) · Σ (points - R·deals)² / (Σ deals)², a quadratic
form of the sums (W. G. Cochran, Sampling Techniques, 3rd edition 1977, section 6.4). The interval is Student's with
n - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Final, NamedTuple

CONFIDENCE: Final = 0.95
_ROUNDING: Final = 4e-15
"""The relative error of sums of squares, which makes groups that all score the same differ a little."""


class Estimate(NamedTuple):
    """A mean per deal and its 95 % interval. There is no interval from fewer than two groups, nor from groups that all
    score the same, since they don't tell how much others may differ."""

    mean: float
    low: float | None
    high: float | None
    deals: int
    groups: int

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as standings show it."""
        return self._asdict()


class GroupStatistics(NamedTuple):
    """Sums over the groups of a bot: of its deals and points in each, and of their products."""

    groups: int = 0
    deals: float = 0
    points: float = 0
    deals_squared: float = 0
    deals_by_points: float = 0
    points_squared: float = 0

    @classmethod
    def of(cls, groups: Iterable[tuple[float, float]]) -> GroupStatistics:
        """Return the sums over groups with these deals and points."""
        rows = [(1, deals, points, deals**2, deals * points, points**2) for deals, points in groups]
        return cls(*map(sum, zip(*rows, strict=True)))


NO_GROUPS: Final = GroupStatistics()


def per_deal(sums: GroupStatistics) -> Estimate | None:
    """Return the points per deal. Return `None` if there are no deals."""
    if not sums.deals:
        return None
    mean = sums.points / sums.deals
    squares = sums.points_squared - 2 * mean * sums.deals_by_points + mean**2 * sums.deals_squared
    return interval(mean, squares / sums.deals**2, int(sums.deals), sums.groups)


def interval(mean: float, squares: float, deals: int, groups: int) -> Estimate:
    """Return an estimate of the sum over groups of their squared contributions to the error of the mean."""
    if groups < 2 or squares <= _ROUNDING * mean * mean:
        return Estimate(mean, None, None, deals, groups)
    error = math.sqrt(squares * groups / (groups - 1))
    reach = student((1 + CONFIDENCE) / 2, groups - 1) * error
    return Estimate(mean, mean - reach, mean + reach, deals, groups)


@lru_cache(maxsize=4096)
def student(p: float, freedom: int) -> float:
    """Return the quantile of Student's t. It is exact for one and two degrees of freedom. Otherwise it is an
    expansion around the normal quantile (Abramowitz and Stegun 26.7.5), at most 0.1 % off for p = 0.025."""
    if freedom == 1:
        return math.tan(math.pi * (p - 0.5))
    if freedom == 2:
        return (2 * p - 1) / math.sqrt(2 * p * (1 - p))
    z = NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / math.pow(freedom, power) for power, term in enumerate(terms, 1))
