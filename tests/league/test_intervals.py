"""How often 95 % intervals contain the truth, in a few simulated leagues of each kind (bench/league/coverage.py)."""

from __future__ import annotations

import pytest

from bench.league.coverage import LEAGUE_KINDS, POINT_LAWS, Coverage, league_coverage, point_coverage

LEAGUES = 6


def test_intervals_of_ratings_and_differences_contain_the_truth_as_often_as_they_say() -> None:
    whole = Coverage()
    for kind in LEAGUE_KINDS:
        found = league_coverage(kind._replace(groups=(60, 150)), LEAGUES)
        whole.inside.update(found.inside)
        whole.all.update(found.all)
    assert 0.93 <= whole.share("rating") <= 0.97
    assert 0.93 <= whole.share("difference") <= 0.97


@pytest.mark.parametrize("law", list(POINT_LAWS)[:2])
@pytest.mark.parametrize("groups", [6, 12, 30])
def test_intervals_of_points_per_deal_contain_the_truth_as_often_as_they_say(law: str, groups: int) -> None:
    assert 0.93 <= point_coverage(law, groups, 1000).share("points") <= 0.97
