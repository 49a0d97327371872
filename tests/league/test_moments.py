"""Means and intervals in closed form: exact sums and correct coverage."""

from __future__ import annotations

from random import Random

import pytest

from records.results.group_statistics import Estimate, GroupStatistics, per_deal
from records.results.luck import LuckFigures, fit

Groups = dict[str, tuple[int, int]]


def closed(groups: Groups) -> Estimate:
    found = per_deal(GroupStatistics.of(groups.values()))
    assert found is not None
    return found


def test_the_spread_is_that_of_points_minus_the_mean_per_deal() -> None:
    groups = {"a": (1, 3), "b": (2, 4), "c": (3, -1)}
    mean = 6 / 6
    squares = sum((points - mean * deals) ** 2 for deals, points in groups.values())
    reach = 4.303 * (squares * 3 / 2) ** 0.5 / 6
    assert closed(groups) == pytest.approx((mean, mean - reach, mean + reach, 6, 3), rel=1e-3)


@pytest.mark.parametrize("groups", [2, 6, 1000, 12_345])
@pytest.mark.parametrize("points", [0, -1, 7, 10**6 + 1])
def test_identical_groups_give_no_interval(groups: int, points: int) -> None:
    found = closed({str(number): (3, points) for number in range(groups)})
    assert found == Estimate(points / 3, None, None, 3 * groups, groups)


def lucky(rng: Random, groups: int) -> list[LuckFigures]:
    """Return figures of a bot with mean 0, whose points depend mostly on luck and unevenness."""
    found = []
    for _ in range(groups):
        luck, unevenness = rng.gauss(0, 30), rng.gauss(0, 500)
        points = 0.4 * luck + 0.02 * unevenness + rng.gauss(0, 4)
        found.append(LuckFigures(2, round(points), round(luck), round(unevenness)))
    return found


def test_the_fits_find_what_luck_and_unevenness_are_worth() -> None:
    assert fit(lucky(Random(5), 500)) == pytest.approx((0.4, 0.02), rel=0.1)


def test_luck_of_few_groups_is_not_adjusted_for() -> None:
    assert fit(lucky(Random(5), 9)) == (0.0, 0.0)


def test_bots_without_luck_in_each_group_are_adjusted_by_the_slant_alone() -> None:
    luck, unevenness = fit([each._replace(luck=0) for each in lucky(Random(6), 100)])
    assert luck == 0
    assert unevenness > 0
