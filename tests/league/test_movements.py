"""The places before the last round of a ladder."""

from __future__ import annotations

import pytest

from league.ladders.model import Ladder
from tests.support.league import LeagueWorld


def play(league: LeagueWorld, ladder: Ladder) -> int:
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    league.run()
    return number


def places(league: LeagueWorld, ladder: Ladder) -> dict[str, int | None]:
    return {each.bot: each.place for each in league.ladders.standings(ladder.id)}


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "knock_out"])
def test_the_places_before_the_last_round_are_kept(league: LeagueWorld, format_: str) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", format_=format_, decks="rotated")
    first = play(league, ladder)
    before = places(league, ladder)
    assert league.standings.places_before(ladder.id, first) == {}
    second = play(league, ladder)
    assert league.standings.places_before(ladder.id, second) == before
    assert league.standings.places_before(ladder.id, first) == {}, "only those of the last round"
    assert league.standings.places_before(ladder.id, 9) == {}


def test_a_new_season_begins_without_places(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", decks="rotated")
    play(league, ladder)
    league.seasons.end(ladder.id)
    assert league.standings.places_before(ladder.id, play(league, ladder)) == {}


def test_an_arena_whose_rounds_overlap_keeps_none(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", format_="arena", decks="rotated")
    play(league, ladder)
    assert league.standings.places_before(ladder.id, play(league, ladder)) == {}


def test_a_round_is_played_although_its_places_can_not_be_kept(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no places")

    monkeypatch.setattr(league.standings, "on_round_started", broken)
    ladder = league.ladder("a1", "a2", decks="rotated")
    assert league.ladders.round(ladder.id, play(league, ladder)).played
