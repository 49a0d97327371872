"""Results of groups."""

from __future__ import annotations

from random import Random

import pytest

from records.results.group_result import GroupResult, group_result_of, played_of_record
from tests.support.played import START, played, record


def points(result: GroupResult | None) -> dict[tuple[str, ...], int]:
    assert result is not None
    return {tuple(bot.name for bot in side.bots): side.points for side in result.sides}


def test_a_match_outside_groups_is_its_own_group() -> None:
    result = group_result_of([played(["a/x", "b/y"], [-1, 0], ident="m1", ended=5)])
    assert result is not None
    assert (result.id, result.ended, result.preset) == ("m1", START + 5000, "durak/2")
    assert points(result) == {("a/x",): -1, ("b/y",): 0}
    assert result.places() == [2, 1]


def test_a_rotated_group_is_the_sum_of_its_matches_and_ends_with_the_last() -> None:
    matches = [
        played(["a/x", "b/y"], [-1, 0], ident="m1", group="g", ended=9),
        played(["b/y", "a/x"], [0, 0], ident="m2", group="g", ended=5),
    ]
    result = group_result_of(matches)
    assert points(result) == {("a/x",): -1, ("b/y",): 0}
    assert result is not None
    assert result.ended == START + 9000
    assert result == group_result_of(matches[::-1])


def test_an_incomplete_rotated_group_has_no_result() -> None:
    bots = ["a/x", "b/y", "c/z"]
    matches = [
        played(bots[turn:] + bots[:turn], [0, 0, -1], ident=f"m{turn}", group="g") for turn in range(3)
    ]
    assert points(group_result_of(matches)) == {("a/x",): -1, ("b/y",): -1, ("c/z",): -1}
    assert group_result_of(matches[:2]) is None
    assert group_result_of(matches[:1]) is None


def test_equal_points_share_a_place() -> None:
    result = group_result_of([played(["a/x", "b/y", "c/z"], [0, -1, 0], ident="m")])
    assert result is not None
    assert result.places() == [1, 3, 1]


def test_forfeiters_place_after_all_others() -> None:
    matches = [
        played(["a/x", "b/y"], [0, -1], ident="m1", group="g"),
        played(["b/y", "a/x"], [-1, 0], ident="m2", group="g", forfeits=[1], ending="forfeit"),
    ]
    result = group_result_of(matches)
    assert points(result) == {("a/x",): 0, ("b/y",): -2}
    assert result is not None
    assert result.places() == [2, 1]


@pytest.mark.parametrize("ending", ["void", "aborted"])
def test_aborted_and_void_matches_are_left_out(ending: str) -> None:
    assert played_of_record(record(["a/x", "b/y"], [0, 0], ident="m", ending=ending)) is None


TEAMS = {"teams": True}


def test_partners_are_one_side_with_the_sum_of_their_points() -> None:
    bots = ["a/w", "b/x", "c/y", "d/z"]
    matches = [
        played(
            bots[turn:] + bots[:turn],
            [-1, 0, -1, 0] if turn % 2 else [0, -1, 0, -1],
            ident=f"m{turn}",
            group="g",
            options=TEAMS,
        )
        for turn in range(4)
    ]
    assert points(group_result_of(matches)) == {("a/w", "c/y"): 0, ("b/x", "d/z"): -8}


def test_where_partners_change_each_bot_is_a_side() -> None:
    matches = []
    for order in (["a/w", "b/x", "c/y", "d/z"], ["a/w", "c/y", "b/x", "d/z"]):
        for turn in range(4):
            here = order[turn:] + order[:turn]
            matches.append(played(here, [0, -1, 0, -1], ident=f"m{len(matches)}", group="g", options=TEAMS))
    result = group_result_of(Random(3).sample(matches, len(matches)))
    assert result is not None
    assert [len(side.bots) for side in result.sides] == [1, 1, 1, 1]


def test_a_team_forfeits_when_all_its_bots_do() -> None:
    bots = ["a/w", "b/x", "c/y", "d/z"]
    one = group_result_of([played(bots, [-1, 0, -1, 0], ident="m", options=TEAMS, forfeits=[0])])
    both = group_result_of([played(bots, [-1, 0, -1, 0], ident="m", options=TEAMS, forfeits=[0, 2])])
    assert one is not None
    assert both is not None
    assert [side.forfeited for side in one.sides] == [False, False]
    assert [side.forfeited for side in both.sides] == [True, False]


def test_a_once_only_group_compares_the_bots_in_the_changing_seat() -> None:
    matches = [
        played([bot, "house/random", "house/greedy"], [score, 0, 0], ident=f"m{bot}", group="g")
        for bot, score in (("a/x", -1), ("b/y", 0), ("c/z", -1))
    ]
    result = group_result_of(matches)
    assert points(result) == {("a/x",): -1, ("b/y",): 0, ("c/z",): -1}
    assert result is not None
    assert result.places() == [2, 1, 2]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"game": "bridge"}, "bridge"),
        ({"ending": "lost"}, "lost"),
        ({"ended": "yesterday"}, "yesterday"),
        ({"options": {"teams": 3}}, "teams"),
        ({"seats": [None, None]}, "NoneType"),
        ({"forfeits": [7]}, "forfeits"),
    ],
)
def test_a_document_that_is_no_record_is_refused(change: dict[str, object], expected: str) -> None:
    with pytest.raises((KeyError, TypeError, ValueError), match=expected):
        played_of_record({**record(["a/x", "b/y"], [0, -1], ident="m"), **change})


def test_a_bot_with_two_seats_of_a_table_is_one_side() -> None:
    matches = [
        played(bots, [0, -1, 0, 0], ident=f"m{number}", group="g")
        for number, bots in enumerate((["a/x", "b/y"] * 2, ["b/y", "a/x"] * 2))
    ]
    assert points(group_result_of(matches)) == {("a/x",): -1, ("b/y",): -1}
