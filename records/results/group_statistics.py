"""Points per deal with 95 % intervals, in closed form from sums over groups. Pure.

A bot has several **figures** in each group: its deals, its points, and in `records.results.luck` luck and
unevenness. What is stored are **moments**: the number of groups, the sum of each figure, and the sum over groups of
the product of each two. Groups can be added and subtracted exactly, in any order, since figures are whole numbers.

Points per deal are a ratio of sums, R = Σ points / Σ deals. Groups are independent; deals within a group are not. So
the variance is that of a ratio over groups, to first order: n/(n-1) · Σ (points - R·deals)² / (Σ deals)², a quadratic
form of the moments (W. G. Cochran, Sampling Techniques, 3rd edition 1977, section 6.4). The interval is Student's with
n - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Final, NamedTuple

CONFIDENCE: Final = 0.95
_ROUNDING: Final = 4e-15
"""The relative error of sums of squares, which makes groups that all score the same differ a little."""
DEALS, POINTS = 0, 1
"""The places of these among a group's figures."""


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
    """The moments of a bot's groups. The first figure is deals, the second points."""

    groups: int
    sums: tuple[float, ...]
    """By figure."""
    products: tuple[float, ...]
    """Products of the figures i <= j, ordered by i, then j."""

    @classmethod
    def none(cls, figures: int) -> GroupStatistics:
        """Return the moments of no group."""
        return cls.unpacked((0,) * (1 + figures + figures * (figures + 1) // 2), figures)

    @classmethod
    def of(cls, groups: Iterable[Sequence[float]], figures: int) -> GroupStatistics:
        """Return the moments of these groups' figures."""
        found = cls.none(figures)
        for each in groups:
            found = found.plus(cls(1, tuple(each), tuple(products(each))))
        return found

    @classmethod
    def unpacked(cls, numbers: Sequence[float], figures: int) -> GroupStatistics:
        """Return the moments from one sequence of the number of groups, sums and products."""
        return cls(int(numbers[0]), tuple(numbers[1 : 1 + figures]), tuple(numbers[1 + figures :]))

    def plus(self, other: GroupStatistics) -> GroupStatistics:
        """Return the moments of the groups of both."""
        return GroupStatistics(
            self.groups + other.groups,
            tuple([one + more for one, more in zip(self.sums, other.sums, strict=True)]),
            tuple([one + more for one, more in zip(self.products, other.products, strict=True)]),
        )

    def less(self, other: GroupStatistics) -> GroupStatistics:
        """Return the moments without the groups of the other, which must be among these."""
        return GroupStatistics(
            self.groups - other.groups,
            tuple([one - less for one, less in zip(self.sums, other.sums, strict=True)]),
            tuple([one - less for one, less in zip(self.products, other.products, strict=True)]),
        )

    def product(self, i: int, j: int) -> float:
        """Return the sum over groups of the product of two figures."""
        low, high = min(i, j), max(i, j)
        return self.products[low * len(self.sums) - low * (low - 1) // 2 + high - low]

    def spread(self, i: int, j: int) -> float:
        """Return the sum over groups of the product of two figures, each minus its mean per deal times the group's
        deals."""
        one, other = (self.sums[figure] / self.sums[DEALS] for figure in (i, j))
        return (
            self.product(i, j)
            - one * self.product(DEALS, j)
            - other * self.product(DEALS, i)
            + one * other * self.product(DEALS, DEALS)
        )


def products(figures: Sequence[float]) -> Iterable[float]:
    """Yield the product of each two of a group's figures, in the order of `GroupStatistics.products`."""
    for i, one in enumerate(figures):
        for other in figures[i:]:
            yield one * other


def per_deal(moments: GroupStatistics) -> Estimate | None:
    """Return the points per deal. Return `None` if there are no deals."""
    deals = moments.sums[DEALS]
    if not deals:
        return None
    mean = moments.sums[POINTS] / deals
    return interval(mean, moments.spread(POINTS, POINTS) / deals**2, int(deals), moments.groups)


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
