"""Paces: which one a clock has, how long its matches wait, and what is rated apart."""

from __future__ import annotations

import pytest

from records.match.clock import PACES, STANDARD, ClockRule, pace_of
from records.ratings.recompute import Recomputation
from records.results.group_result import played_of_record
from records.verify import verify
from tests.referee.world import T0, World, remote


@pytest.mark.parametrize("name", PACES)
def test_a_named_clock_has_its_own_pace(name: str) -> None:
    assert pace_of(PACES[name].clock) == name


def test_the_default_clock_is_standard() -> None:
    assert PACES[STANDARD].clock == ClockRule()


@pytest.mark.parametrize(
    ("clock", "pace"),
    [
        (ClockRule(move_ms=100, bank_ms=0), "blitz"),
        (ClockRule(move_ms=2_999, bank_ms=0), "blitz"),
        (ClockRule(move_ms=3_000, bank_ms=0), "standard"),
        (ClockRule(move_ms=1_000, bank_ms=0, increment_ms=2_000), "standard"),
        (ClockRule(move_ms=1_000, bank_ms=80_000), "standard"),
        (ClockRule(move_ms=30_000, bank_ms=120_000), "standard"),
        (ClockRule(move_ms=60_000, bank_ms=0), "reasoning"),
        (ClockRule(move_ms=3_600_000, bank_ms=0), "correspondence"),
    ],
)
def test_any_other_clock_has_the_pace_of_its_time_per_decision(clock: ClockRule, pace: str) -> None:
    assert pace_of(clock) == pace
    assert pace_of(clock._replace(strikes=9, grace_ms=0)) == pace


@pytest.mark.parametrize(
    ("pace", "start_ms"),
    [("blitz", 60_000), ("standard", 60_000), ("reasoning", 600_000), ("correspondence", 86_400_000)],
)
def test_a_match_waits_as_long_as_its_pace_says(world: World, pace: str, start_ms: int) -> None:
    match = world.match(2, present=False, clock=PACES[pace].clock)
    assert world.look(match).deadline == T0 + start_ms


def test_a_ladder_may_say_another_time(world: World) -> None:
    match = world.match(2, present=False, clock=PACES["reasoning"].clock, start_ms=5_000)
    assert world.look(match).deadline == T0 + 5_000


def test_records_of_two_paces_are_rated_apart(world: World) -> None:
    with Recomputation() as recount:
        for pace in ("standard", "reasoning"):
            match = world.match([remote(0), remote(1)], clock=PACES[pace].clock)
            world.play_out(match)
            record = world.referee.record(world.look(match)).to_json()
            assert verify(record) == []
            played = played_of_record(record)
            assert played is not None
            recount.add(played)
        assert recount.presets() == ["durak/2", "durak/2@reasoning"]


def test_a_record_names_no_other_pace_than_that_of_its_clock(world: World) -> None:
    match = world.match(2, clock=PACES["reasoning"].clock)
    world.play_out(match)
    record = world.referee.record(world.look(match)).to_json()
    assert [found.where for found in verify({**record, "preset": "durak/2@blitz"})] == ["preset"]
    # As in records of earlier releases, which rated all clocks together.
    assert verify({**record, "preset": "durak/2"}) == []
