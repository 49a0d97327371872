"""The rating model, and recomputation from records alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.ratings.fit import Results
from records.ratings.model import MU, SIGMA, Rating, shown
from records.ratings.recompute import Recomputation
from records.results.group_result import GroupResult, ResultPlayer, SideResult, played_of_record
from tests.support.played import BOTS, played, season


def result(
    *sides: tuple[str, int], preset: str = "durak/2", version: str = "1", number: int = 0
) -> GroupResult:
    """Return the result of single players, given names and points. Groups with greater numbers are later."""
    found = sorted(
        SideResult((ResultPlayer(name.replace("/", "-"), name, version),), points, False)
        for name, points in sides
    )
    return GroupResult(preset, f"g{number}", number, tuple(found))


def rated(*groups: GroupResult) -> Mapping[str, Rating]:
    """Return the ratings after these groups."""
    return Results(groups).fitted().ratings


# 1. The model


def test_the_first_rises_and_the_last_falls_and_both_sigmas_shrink() -> None:
    after = rated(result(("a/x", 2), ("b/y", -2)))
    assert after["a-x"].mu > MU > after["b-y"].mu
    assert after["a-x"].mu - MU == pytest.approx(MU - after["b-y"].mu)
    assert after["a-x"].sigma == after["b-y"].sigma < SIGMA


def test_only_places_count_not_margins() -> None:
    assert rated(result(("a/x", 1), ("b/y", 0))) == rated(result(("a/x", 9), ("b/y", -9)))


def test_400_points_are_odds_of_ten_to_one() -> None:
    games = [
        result(("a/x", 2 if number % 11 else 0), ("house/greedy", 1), number=number) for number in range(1100)
    ]
    assert rated(*games)["a-x"].mu == pytest.approx(1900.0, abs=5.0)


def test_the_anchor_never_moves() -> None:
    after = rated(*(result(("a/x", 1), ("house/greedy", 0), number=number) for number in range(50)))
    greedy = after["house-greedy"]
    assert (greedy.mu, greedy.sigma, greedy.groups, greedy.pool) == (1500.0, 0.0, 50, None)
    assert after["a-x"].mu > 2000


def test_a_bot_that_always_loses_is_at_least_that_far_below() -> None:
    """The interval after 200 lost groups contains every skill with which that is likely."""
    after = rated(*(result(("a/x", 0), ("house/greedy", 1), number=number) for number in range(200)))
    assert after["a-x"].low < 300 < 700 < after["a-x"].high < 1000


def test_the_same_program_is_rated_alike_in_every_company() -> None:
    """It plays the anchor alone, others of its kind beside the anchor, and others of its kind alone."""
    rng, truth = Random(4), -700.0

    def won(apart: float) -> int:
        return int(rng.random() < 1 / (1 + 10 ** (-apart / 400)))

    alone = [result(("a/0", 2 * won(truth)), ("house/greedy", 1), number=number) for number in range(300)]
    company = []
    for number in range(300):
        one, other = rng.sample(["a/0", "b/1", "c/2", "d/3", "house/greedy"], 2)
        apart = truth * ((one != "house/greedy") - (other != "house/greedy"))
        points = won(apart)
        company.append(result((one, points), (other, 1 - points), number=number))
    kind = [group for group in company if not any(bot.name == "house/greedy" for bot in group.players)]
    for groups in (alone, company):
        found = rated(*groups)["a-0"]
        assert found.low < MU + truth < found.high
        assert found.pool is None
    closed = rated(*kind)["a-0"]
    assert closed.low < MU < closed.high
    assert closed.pool == "a-0", "not comparable with the anchor"


def test_a_new_version_has_a_rating_of_its_own_near_the_last_one() -> None:
    old = [result(("a/x", 1), ("house/greedy", 0), number=number) for number in range(40)]
    new = [result(("a/x", 0), ("house/greedy", 1), version="2", number=number) for number in range(40, 44)]
    before, after = rated(*old)["a-x"], rated(*old, *new)["a-x"]
    assert (after.groups, after.version) == (44, "2")
    assert 1500 < after.mu < before.mu
    merged = rated(*old, *(group._replace(sides=old[0].sides) for group in new))["a-x"]
    assert merged.mu > after.mu


def test_a_later_result_changes_the_rating_of_all_that_are_connected() -> None:
    chain = [result(("a/x", 1), ("b/y", 0)), result(("b/y", 1), ("c/z", 0), number=1)]
    last = result(("c/z", 1), ("house/greedy", 0), number=2)
    before, after = rated(*chain), rated(*chain, last)
    assert {rating.pool for rating in before.values()} == {"a-x"}
    assert {rating.pool for rating in after.values()} == {None}
    assert after["a-x"].mu > before["a-x"].mu


def test_a_difference_within_a_pool_is_known_better_than_the_place_of_the_pool() -> None:
    rng, groups = Random(2), list[GroupResult]()
    for number in range(200):
        winner = rng.randrange(2)
        groups.append(result(("a/x", winner), ("b/y", 1 - winner), number=number))
    groups.append(result(("a/x", 1), ("house/greedy", 0), number=999))
    found = Results(groups).fitted()
    apart = found.deviation("a-x", "b-y")
    assert apart is not None
    assert apart < 30 < 200 < found.ratings["a-x"].sigma


@given(points=st.lists(st.integers(-3, 3), min_size=2, max_size=11))
@settings(max_examples=50)
def test_more_points_mean_higher_ratings_for_any_number_of_sides_with_ties(points: Sequence[int]) -> None:
    group = result(*((f"o{number}/b", each) for number, each in enumerate(points)))
    after = rated(group)
    for side in group.sides:
        for other in group.sides:
            if side.points > other.points:
                assert after[side.bots[0].id].mu > after[other.bots[0].id].mu
            if side.points == other.points:
                assert after[side.bots[0].id].mu == pytest.approx(after[other.bots[0].id].mu, abs=2e-3)


def test_partners_rise_and_fall_together() -> None:
    def player(name: str) -> ResultPlayer:
        return ResultPlayer(name, f"o/{name}", "1")

    after = rated(
        GroupResult(
            "durak/4/teams=true",
            "g",
            0,
            (
                SideResult((player("a"), player("c")), 0, False),
                SideResult((player("b"), player("d")), -2, False),
            ),
        )
    )
    assert after["a"].mu == after["c"].mu > MU > after["b"].mu == after["d"].mu


def test_a_rating_is_never_shown_without_its_interval() -> None:
    text = shown("a/x", Rating(1612.3456, 41.2, 30, "1.2"))
    assert (text["rating"], text["low"], text["high"], text["groups"]) == (1612.3, 1531.6, 1693.1, 30)


# 2. From records alone


def ratings_of(records: Sequence[dict[str, object]]) -> dict[str, dict[str, Rating]]:
    with Recomputation() as recount:
        for each in records:
            match = played_of_record(each)
            if match is not None:
                recount.add(match)
        found: dict[str, dict[str, Rating]] = {}
        for preset in recount.presets():
            found[preset] = dict(Results(recount.outcomes(preset)).fitted().ratings)
        return found


def test_two_different_records_of_one_match_are_refused() -> None:
    with Recomputation() as recount:
        recount.add(played(["a/x", "b/y"], [0, -1], ident="m"))
        with pytest.raises(ValueError, match="came before"):
            recount.add(played(["a/x", "b/y"], [-1, 0], ident="m"))


def test_the_stronger_bot_of_a_season_is_rated_higher() -> None:
    ratings = ratings_of(list(season(600, 1)))["durak/2"]
    mus = [ratings[bot.replace("/", "-")].mu for bot in BOTS]
    assert mus[0] < mus[2] < mus[4] < mus[6]
