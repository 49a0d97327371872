"""Points per deal, reports of groups, and their intervals, from records alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from records.results.group_report import GroupReport, group_report
from records.results.group_statistics import Estimate, student
from records.results.points import Tally


def record(scores: list[int], *bots: str, group: str | None = "g", **fields: Any) -> dict[str, Any]:
    """Return the fields of a record that are read here."""
    dealt = fields.pop("dealt", fields.get("deals", 1))
    return {
        "id": fields.pop("id", " ".join(map(str, (*bots, *scores)))),
        "group": group,
        "preset": f"durak/{len(bots)}",
        "deals": 1,
        "moves": [{"seat": None, "move": "a deck"}] * dealt,
        "seats": [{"bot": f"o/{bot}", "id": bot, "version": "1"} for bot in bots],
        "scores": scores,
        "forfeits": [],
        "ending": "rules",
        "ended": "2026-01-01T00:00:00.000Z",
        **fields,
    }


def test_the_advantage_is_relative_to_the_average_of_the_seat_with_that_deck() -> None:
    # Seat 1 has the better cards: it wins at both tables, with b by more than with a.
    result = group_report([record([-4, 4], "a", "b"), record([-2, 2], "b", "a")])
    a, b = result.bots
    assert (a.points, a.deals, a.points_per_deal) == (-2, 2, -1.0)
    assert (b.points, b.deals, b.points_per_deal) == (2, 2, 1.0)
    assert (a.advantage, b.advantage) == (-1.0, 1.0)


def test_bots_that_sat_in_one_seat_only_are_compared_across_tables() -> None:
    house = ("x", "x")
    tables = [
        record([-1, 0, 0], "a", *house),
        record([0, -1, 0], "b", *house),
        record([0, 0, -1], "c", *house),
    ]
    by_id = {line.id: line for line in group_report(tables).bots}
    assert by_id["a"].advantage == pytest.approx(-2 / 3)
    assert by_id["b"].advantage == by_id["c"].advantage == pytest.approx(1 / 3)
    assert (by_id["x"].deals, by_id["x"].points, by_id["x"].advantage) == (6, -2, 0.0)


def test_the_report_of_a_group_adds_up_its_tables() -> None:
    result = group_report(
        [
            record([-24, 24], "a", "b", deals=12, ended="2026-01-01T00:00:02.000Z"),
            record([6, -6], "b", "a", deals=12, forfeits=[1], ending="forfeit"),
        ]
    )
    one, other = result.bots
    assert result == GroupReport("g", "durak/2", "2026-01-01T00:00:02.000Z", 24, (one, other))
    assert (one.bot, one.id, one.version, other.bot) == ("o/a", "a", "1", "o/b")
    assert [(line.points, line.deals, line.forfeits) for line in result.bots] == [(-30, 24, 1), (30, 24, 0)]
    assert [(line.points_per_deal, line.advantage) for line in result.bots] == [(-1.25, -1.25), (1.25, 1.25)]


def test_deals_not_dealt_after_a_forfeit_do_not_count() -> None:
    cut = record([-7, 0], "a", "b", deals=12, dealt=5, forfeits=[0], ending="forfeit")
    result = group_report([cut, record([0, -9], "b", "a", deals=12)])
    assert result.deals == 17
    assert {line.id: (line.deals, line.points_per_deal) for line in result.bots} == {
        "a": (17, -16 / 17),
        "b": (17, 0.0),
    }


def test_a_void_match_does_not_count() -> None:
    tally = Tally()
    tally.add(record([0, 0], "a", "b", ending="void"))
    assert tally.bots == {}


@pytest.mark.parametrize("first", ["the void one", "the other"])
def test_a_rotated_group_that_lacks_a_match_does_not_count(first: str) -> None:
    tally = Tally()
    remark = {"kind": "void", "at": "2026-01-01T00:00:00.000Z", "reason": "a disk was full"}
    group = [record([-1, 0], "a", "b", annotations=[remark]), record([0, -1], "b", "a")]
    for one in group if first == "the void one" else group[::-1]:
        tally.add(one)
    tally.add(record([-4, 0], "a", "c", group=None))
    assert tally.of("a") == Estimate(-4.0, None, None, 1, 1)
    assert list(tally.bots) == ["a", "c"]


def test_other_tables_of_a_once_only_group_still_count_while_there_are_two() -> None:
    tables = [record([-n, 0], bot, "x", ending="void" if n == 3 else "rules") for n, bot in enumerate("abcd")]
    tally, few = Tally(), Tally()
    for one in tables:
        tally.add(one)
    assert [tally.of(bot).mean for bot in "abc"] == [0.0, -1.0, -2.0]
    for one in tables[2:]:
        few.add(one)
    assert few.bots == {}


def filled(groups: int, seed: int, tables: int = 2, shared: float = 1.0) -> Tally:
    """Return equally good bots `a` and `b` in groups whose decks add `shared` to all tables of a bot."""
    rng, tally = Random(seed), Tally()
    for group in range(groups):
        luck = {bot: rng.gauss(0, shared) for bot in "ab"}
        for _ in range(tables):
            for bot in "ab":
                tally.count(f"{seed}-{group}", bot, luck[bot] + rng.gauss(0, 0.3), 1)
    return tally


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


@pytest.mark.parametrize("groups", [4, 15])
def test_95_of_100_intervals_hold_the_truth(groups: int) -> None:
    """With correct intervals, fewer than 88 or all of 100 hold the truth with a chance of one in a hundred."""
    held = 0
    for seed in range(100):
        found = filled(groups, seed).difference("a", "b")
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert 88 <= held < 100


def test_more_tables_with_the_same_decks_add_no_evidence() -> None:
    """The effect of a deck on all tables of a group does not average out within it."""
    few, many = filled(100, 1, tables=2).of("a"), filled(100, 1, tables=20).of("a")
    assert many.deals == 10 * few.deals
    assert width(many) == pytest.approx(width(few), rel=0.2)


def test_the_same_records_give_the_same_figures_in_any_order() -> None:
    rng = Random(5)
    records = [
        record(
            [rng.randrange(-3, 1), rng.randrange(-3, 1)], "a", "b", group=f"g{number % 60}", id=str(number)
        )
        for number in range(120)
    ]
    figures = set()
    for _ in range(3):
        rng.shuffle(records)
        tally = Tally()
        for one in records:
            tally.add(one)
        figures.add((tally.of("a"), tally.of("b"), tally.difference("a", "b")))
    assert len(figures) == 1


@pytest.mark.parametrize(
    ("freedom", "known"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (100, 1.984)]
)
def test_students_quantiles_are_those_of_the_tables(freedom: int, known: float) -> None:
    assert student(0.975, freedom) == pytest.approx(known, rel=0.002)
    assert student(0.025, freedom) == pytest.approx(-known, rel=0.002)
