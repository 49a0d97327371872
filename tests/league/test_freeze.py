"""A freeze withholds the results of groups until its release, and then publishes all of them."""

from __future__ import annotations

import pytest

from league.errors import BadValue, WrongLadderState
from league.ladders.model import Ladder, RoundState
from league.operators.audit import AuditActor
from referee.errors import GroupRunning
from tests.support.league import LeagueWorld, WallClock

BY = AuditActor("t", "owner")


def grouped(league: LeagueWorld, *bots: str, **more: object) -> Ladder:
    return league.ladder(*bots, decks="rotated", **more)


def played(league: LeagueWorld, ladder: Ladder) -> int:
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    return number


def counts(league: LeagueWorld, ladder: Ladder) -> set[int]:
    return {row.line.matches for row in league.ladders.standings(ladder.id)}


def test_results_are_withheld_from_the_instant_to_the_release(league: LeagueWorld, clock: WallClock) -> None:
    ladder = grouped(league, "a1", "a2", repeats=2)
    league.organisers.freeze(BY, ladder.id, clock.ms + 1000)
    played(league, ladder)
    assert counts(league, ladder) == {4}
    before, cross = league.ladders.standings(ladder.id), league.ladders.cross_table(ladder.id)
    clock.ms += 1000
    number = played(league, ladder)
    assert league.ladders.standings(ladder.id) == before
    assert league.ladders.cross_table(ladder.id) == cross
    assert league.ladders.round(ladder.id, number).state is RoundState.RUNNING
    for match in league.matches():
        assert match.finished
        if match.config.round == number:
            assert league.referee.is_masked(match)
            with pytest.raises(GroupRunning):
                league.referee.record(match)
    league.organisers.release(BY, ladder.id)
    assert counts(league, ladder) == {8}
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE
    assert not any(league.referee.is_masked(match) for match in league.matches())
    assert league.ladders.store.held_groups(ladder.id) == []
    assert league.ladders.get(ladder.id).freeze is None


def test_nothing_is_rated_before_the_release(league: LeagueWorld) -> None:
    ladder = grouped(league, "a1", "a2")
    league.organisers.freeze(BY, ladder.id, None)
    played(league, ladder)
    assert league.recorded.unrated + league.ratings.tick() == []
    league.organisers.release(BY, ladder.id)
    assert set(league.recorded.unrated + league.ratings.tick()) == {ladder.preset}


def test_a_season_that_ends_during_a_freeze_has_its_winners_after_the_release(league: LeagueWorld) -> None:
    ladder = grouped(league, "a1", "a2")
    league.organisers.freeze(BY, ladder.id, None)
    played(league, ladder)
    league.seasons.end(ladder.id)
    season = league.seasons.get(ladder.id, 1)
    assert not league.seasons.is_over(season)
    league.organisers.release(BY, ladder.id)
    assert league.seasons.is_over(season)
    assert league.seasons.leaders(season)


def test_a_knock_out_shows_its_winner_after_the_release(league: LeagueWorld) -> None:
    ladder = grouped(league, "a1", "a2", format="knock_out", parameters={"groups": 1})
    league.organisers.freeze(BY, ladder.id, None)
    played(league, ladder)
    assert league.rounds.bracket(ladder.id).winner is None
    league.organisers.release(BY, ladder.id)
    assert league.rounds.bracket(ladder.id).winner is not None


def test_a_broken_off_release_is_completed(league: LeagueWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = grouped(league, "a1", "a2", "a3")
    league.organisers.freeze(BY, ladder.id, None)
    played(league, ladder)
    with monkeypatch.context() as broken:
        broken.setattr(league.ladders.store, "release_groups", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            league.organisers.release(BY, ladder.id)
    league.organisers.release(BY, ladder.id)
    league.organisers.release(BY, ladder.id)
    assert counts(league, ladder) == {4}


def test_a_freeze_that_can_not_hold_changes_nothing(league: LeagueWorld, clock: WallClock) -> None:
    ladder = grouped(league, "a1", "a2")
    with pytest.raises(BadValue, match="past"):
        league.organisers.freeze(BY, ladder.id, clock.ms - 1)
    casual = league.ladder("a1", "a2")
    with pytest.raises(BadValue, match="rotated"):
        league.organisers.freeze(BY, casual.id, None)
    assert league.ladders.get(ladder.id) == ladder
    frozen = league.organisers.freeze(BY, ladder.id, None)
    with pytest.raises(BadValue, match="frozen"):
        league.organisers.freeze(BY, ladder.id, clock.ms + 1000)
    with pytest.raises(BadValue, match="freeze"):
        league.ladders.change(ladder.id, {"decks": "independent"})
    assert league.ladders.get(ladder.id) == frozen
    league.organisers.release(BY, ladder.id)
    league.ladders.change(ladder.id, state="closing")
    with pytest.raises(WrongLadderState):
        league.organisers.freeze(BY, ladder.id, None)
