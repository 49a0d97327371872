"""Changing the settings of a ladder: what may change when, and that nothing played is changed."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import BadTable
from league.errors import BadValue, RoundRunning
from league.ladders.model import Ladder
from records.match.clock import ClockRule
from tests.support.league import LeagueWorld


def played(league: LeagueWorld, ladder: Ladder) -> None:
    league.finish(ladder.id, league.rounds.start(ladder.id).number)


@pytest.mark.parametrize(
    "texts",
    [
        {"name": ""},
        {"name": " \t"},
        {"name": "x" * 101},
        {"description": "x" * 4001},
        {"description": "\x1b[31m"},
    ],
)
def test_a_text_that_can_not_be_shown_is_refused(league: LeagueWorld, texts: dict[str, str]) -> None:
    ladder = league.ladder()
    with pytest.raises(BadValue):
        league.ladders.change(ladder.id, texts)
    assert league.ladders.get(ladder.id) == ladder


def test_before_the_first_round_everything_can_change(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4")
    changes = {"game": "king", "seats": 4, "format": "swiss", "parameters": {"rounds": 2}, "decks": "rotated"}
    changed = league.ladders.change(ladder.id, {**changes, "clock": ClockRule(move_ms=700)})
    assert (changed.game, changed.deals, changed.options.keys() & ladder.options.keys()) == (
        "king",
        12,
        set(),
    )
    played(league, ladder)
    matches = list(league.matches())
    assert {(match.config.game, match.config.clock.move_ms) for match in matches} == {("king", 700)}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"seats": 9}, BadTable),
        ({"game": "chess"}, BadTable),
        ({"format": "versus", "seats": 2}, BadValue),
        ({"format": "swiss", "parameters": {"groups": 2}}, BadValue),
        ({"repeats": 2, "format": "swiss"}, BadValue),
        ({"repeats": 1000, "name": "Renamed"}, BadValue),
    ],
)
def test_settings_with_which_the_entries_can_not_play_are_refused(
    league: LeagueWorld, changes: dict[str, Any], error: type[Exception]
) -> None:
    ladder = league.ladder()
    for number in range(16):
        league.ladders.enter(ladder.id, league.bot(f"owner-{number}", "bot")[1])
    with pytest.raises(error):
        league.ladders.change(ladder.id, changes)
    assert league.ladders.get(ladder.id) == ladder


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "king", "seats": 4},
        {"game": "king"},
        {"options": {"turn_limit": 50}},
        {"deals": 2},
        {"rated": False},
        {"decks": "rotated"},
        {"format": "swiss"},
        {"parameters": {"meet": "pairs"}},
    ],
)
def test_what_standings_compare_is_fixed_with_the_first_round(
    league: LeagueWorld, changes: dict[str, Any]
) -> None:
    ladder = league.ladder("a1", "a2")
    played(league, ladder)
    with pytest.raises(BadValue, match="fixed since the first round"):
        league.ladders.change(ladder.id, {**changes, "name": "Renamed"})
    assert league.ladders.get(ladder.id) == ladder


def test_a_new_clock_is_that_of_the_next_round(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    round_ = league.rounds.start(ladder.id)
    with pytest.raises(RoundRunning):
        league.ladders.change(ladder.id, {"clock": ClockRule(move_ms=700)})
    league.finish(ladder.id, round_.number)
    league.ladders.change(ladder.id, {"clock": ClockRule(move_ms=700)})
    played(league, ladder)
    clocks = {match.config.round: match.config.clock.move_ms for match in league.matches()}
    assert clocks == {1: ClockRule().move_ms, 2: 700}


def test_a_tournament_can_be_made_longer_but_not_shorter_than_it_was(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", format="swiss", parameters={"rounds": 2})
    for _ in range(2):
        played(league, ladder)
    with pytest.raises(BadValue, match="at least 2"):
        league.ladders.change(ladder.id, {"parameters": {"rounds": 1}})
    league.ladders.change(ladder.id, {"parameters": {"rounds": 3}})
    played(league, ladder)
    assert league.ladders.last_round(ladder.id) == 3


def test_a_round_that_was_planned_for_other_settings_is_planned_again(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    store, clock = league.ladders.store, ClockRule(move_ms=700)
    opened, changes = store.open_round, iter([{"clock": clock}])

    def late(*args: Any, **more: Any) -> Any:
        for each in changes:
            league.ladders.change(ladder.id, each)
        return opened(*args, **more)

    store.open_round = late  # type: ignore[method-assign]
    played(league, ladder)
    assert {match.config.clock for match in league.matches()} == {clock}


def test_a_change_that_a_first_round_overtakes_is_refused(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    store, rounds = league.ladders.store, iter([1])
    changed = store.change

    def late(*args: Any) -> bool:
        for _ in rounds:
            played(league, ladder)
        return changed(*args)

    store.change = late  # type: ignore[method-assign]
    with pytest.raises(BadValue, match="fixed since the first round"):
        league.ladders.change(ladder.id, {"decks": "rotated"})
    assert league.ladders.get(ladder.id) == ladder


def test_a_bot_below_the_minimum_of_groups_has_no_place_and_does_not_win(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", repeats=2)
    played(league, ladder)
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a3"))
    played(league, ladder)
    league.ladders.change(ladder.id, {"minimum_groups": 5})
    rows = league.ladders.standings(ladder.id)
    assert {row.name: row.place is None for row in rows} == {
        "house/a1": False,
        "house/a2": False,
        "house/a3": True,
    }
    late = rows[-1]
    assert (late.name, late.rank.entry.out) == ("house/a3", "played 4 of at least 5 groups")
    league.seasons.end(ladder.id)
    winners = {winner.name for winner in league.seasons.leaders(league.seasons.get(ladder.id, 1))}
    assert winners
    assert "house/a3" not in winners
    with pytest.raises(BadValue, match="losers"):
        league.ladder(format="knock_out", minimum_groups=1)
    with pytest.raises(BadValue):
        league.ladders.change(ladder.id, {"minimum_groups": -1})
