"""The rating model, and recomputation from records alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.ratings.model import MOST_ORDERS, MU, SIGMA, VERSION_SIGMA, Rating, _orders, shown, updated
from records.ratings.recompute import Recomputation
from records.results.group_result import BadRecord, GroupResult, ResultPlayer, SideResult, played_of_record
from tests.support.played import BOTS, played, season


def result(*sides: tuple[str, int], preset: str = "durak/2", version: str = "1") -> GroupResult:
    """Return the result of single players, given names and points."""
    found = sorted(
        SideResult((ResultPlayer(name.replace("/", "-"), name, version),), points, False)
        for name, points in sides
    )
    return GroupResult(preset, "g", 0, tuple(found))


# 1. The model


def test_the_first_rises_and_the_last_falls_and_both_sigmas_shrink() -> None:
    after = updated(result(("a/x", 2), ("b/y", -2)), {})
    assert after["a-x"].mu > MU > after["b-y"].mu
    assert after["a-x"].mu - MU == pytest.approx(MU - after["b-y"].mu)
    assert after["a-x"].sigma == after["b-y"].sigma < SIGMA


def test_a_tie_of_equals_moves_no_rating_but_shrinks_sigma() -> None:
    after = updated(result(("a/x", 0), ("b/y", 0)), {})
    assert after["a-x"].mu == after["b-y"].mu == MU
    assert after["a-x"].sigma < SIGMA


def test_only_places_count_not_margins() -> None:
    assert updated(result(("a/x", 1), ("b/y", 0)), {}) == updated(result(("a/x", 9), ("b/y", -9)), {})


def test_400_points_are_odds_of_ten_to_one() -> None:
    """At ten wins to one loss a known rating stays constant."""
    before = {"a-x": Rating(1900.0, 1.0, 1, "1"), "b-y": Rating(1500.0, 1.0, 1, "1")}
    won = updated(result(("a/x", 1), ("b/y", 0)), before)["a-x"].mu - 1900.0
    lost = 1900.0 - updated(result(("a/x", 0), ("b/y", 1)), before)["a-x"].mu
    assert lost / won == pytest.approx(10.0, rel=0.01)


def test_an_anchor_never_moves() -> None:
    before: dict[str, Rating] = {}
    for _ in range(50):
        before.update(updated(result(("a/x", 1), ("house/greedy", 0)), before))
    greedy = before["house-greedy"]
    assert (greedy.mu, greedy.sigma, greedy.groups) == (1500.0, 1.0, 50)
    assert before["a-x"].mu > 1700


def test_a_new_version_has_a_larger_sigma() -> None:
    before = {"a-x": Rating(1800.0, 30.0, 90, "1"), "b-y": Rating(1800.0, 30.0, 90, "1")}
    old = updated(result(("a/x", 0), ("b/y", 0)), before)["a-x"]
    new = updated(result(("a/x", 0), ("b/y", 0), version="2"), before)["a-x"]
    assert old.sigma < 30.0
    assert 100.0 < new.sigma < VERSION_SIGMA
    assert (new.groups, new.version) == (91, "2")


@given(points=st.lists(st.integers(-3, 3), min_size=2, max_size=11))
@settings(max_examples=50)
def test_any_number_of_sides_with_ties_and_the_order_of_points_is_the_order_of_ratings(
    points: Sequence[int],
) -> None:
    group = result(*((f"o{number}/b", each) for number, each in enumerate(points)))
    after = updated(group, {})
    for side in group.sides:
        for other in group.sides:
            if side.points > other.points:
                assert after[side.bots[0].id].mu > after[other.bots[0].id].mu
            if side.points == other.points:
                assert after[side.bots[0].id].mu == pytest.approx(after[other.bots[0].id].mu, abs=1e-5)


@pytest.mark.parametrize("shared", [[25, 25, 25, 25], [7, 11, 13, 69], [1, 99], [2, 3, 4, 5], [3, 4, 5]])
def test_many_ties_need_few_orders_in_which_each_side_has_each_place_equally_often(
    shared: list[int],
) -> None:
    places = [place for place, many in enumerate(shared) for _ in range(many)]
    orders = list(_orders(places))
    assert len(orders) == min(math.lcm(*shared), MOST_ORDERS)
    assert all(sorted(order) == list(range(len(places))) for order in orders)
    assert all([places[side] for side in order] == places for order in orders)
    for side, place in enumerate(places):
        first = places.index(place)
        mean = sum(order.index(side) - first for order in orders) / len(orders)
        exact = math.lcm(*shared) <= MOST_ORDERS or MOST_ORDERS % shared[place] == 0
        assert mean == pytest.approx((shared[place] - 1) / 2, abs=1e-9 if exact else 1.0)
    after = updated(result(*((f"o{side}/b", -place) for side, place in enumerate(places))), {})
    found = [after[f"o{side}-b"].mu for side in range(len(places))]
    for place in range(1, len(shared)):
        above = [mu for mu, of in zip(found, places, strict=True) if of == place - 1]
        below = [mu for mu, of in zip(found, places, strict=True) if of == place]
        assert min(above) > max(below)


def test_partners_rise_and_fall_together_the_less_known_one_by_more() -> None:
    def player(name: str) -> ResultPlayer:
        return ResultPlayer(name, f"o/{name}", "1")

    group = GroupResult(
        "durak/4/teams=true",
        "g",
        0,
        (SideResult((player("a"), player("c")), 0, False), SideResult((player("b"), player("d")), -2, False)),
    )
    after = updated(group, {"a": Rating(1500.0, 100.0, 9, "1")})
    assert after["c"].mu - MU > after["a"].mu - MU > 0
    assert after["b"].mu == after["d"].mu < MU


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Bots of known skill play groups whose results follow the model, at tables of two, three and four."""
    rng = Random(11)
    inside = bots = 0
    for seats in (2, 3, 4) * 4:
        truth = {f"o{number}/b": rng.gauss(1500, 200) for number in range(10)} | {"house/greedy": 1500.0}
        ratings: dict[str, Rating] = {}
        spread = 400 / math.log(10) * math.sqrt(seats / 2)
        for _ in range(500):
            left = rng.sample(sorted(truth), seats)
            points = []
            while left:
                (first,) = rng.choices(left, [math.exp(truth[bot] / spread) for bot in left])
                points.append((first, len(left)))
                left.remove(first)
            ratings.update(updated(result(*points), ratings))
        for name, skill in truth.items():
            rating = ratings[name.replace("/", "-")]
            if name != "house/greedy":
                inside += rating.low <= skill <= rating.high
                bots += 1
    assert 0.88 <= inside / bots <= 0.99


def test_a_rating_is_never_shown_without_its_interval() -> None:
    text = shown("durak/2", "a/x", Rating(1612.3456, 41.2, 30, "1.2"))
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
            for step in recount.steps(preset):
                found.setdefault(preset, {}).update(step.after)
        return found


def test_neither_the_order_of_records_nor_duplicates_matter() -> None:
    records = list(season(150, 5))
    expected = ratings_of(records)
    assert set(expected) == {"durak/2", "durak/3"}
    for seed in range(3):
        shuffled = Random(seed).sample(records, len(records))
        assert ratings_of(shuffled + shuffled[:20]) == expected


def test_two_different_records_of_one_match_are_refused() -> None:
    with Recomputation() as recount:
        recount.add(played(["a/x", "b/y"], [0, -1], ident="m"))
        with pytest.raises(BadRecord, match="came before"):
            recount.add(played(["a/x", "b/y"], [-1, 0], ident="m"))


def test_groups_are_ordered_by_end_and_then_by_id() -> None:
    with Recomputation() as recount:
        for ident, ended in (("b", 5), ("a", 5), ("c", 1)):
            recount.add(played(["a/x", "b/y"], [0, -1], ident=ident, ended=ended))
        recount.add(played(["a/x", "b/y"], [0, -1], ident="m1", group="d", ended=0))
        recount.add(played(["b/y", "a/x"], [0, -1], ident="m2", group="d", ended=4))
        assert [step.outcome.id for step in recount.steps("durak/2")] == ["c", "d", "a", "b"]


def test_an_incomplete_group_is_skipped_and_counted() -> None:
    with Recomputation() as recount:
        for ident in ("m1", "m2"):
            recount.add(played(["a/x", "b/y"], [0, -1], ident=ident, group="g"))
        assert list(recount.steps("durak/2")) == []
        assert recount.excluded == 1


def test_the_stronger_bot_of_a_season_is_rated_higher() -> None:
    ratings = ratings_of(list(season(600, 1)))["durak/2"]
    mus = [ratings[bot.replace("/", "-")].mu for bot in BOTS]
    assert mus[0] < mus[2] < mus[4] < mus[6]
