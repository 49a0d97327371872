"""Seasons: totals and pairings restart, and no match is lost or counted twice."""

from __future__ import annotations

import pytest

from league.errors import BadValue, NoSuchSeason, NothingToPlay
from league.ladders.model import Ladder, RoundState
from league.ladders.schedule import Schedule
from tests.referee.world import at_once
from tests.support.league import LeagueWorld, WallClock

DAY_MS = 86_400_000


def play(league: LeagueWorld, ladder: Ladder) -> int:
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    league.run()
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE
    return number


def played(league: LeagueWorld, ladder: Ladder, season: int | None = None) -> int:
    return sum(each.line.matches for each in league.ladders.standings(ladder.id, season))


def test_a_season_starts_from_zero_and_the_previous_one_stays_readable(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3")
    play(league, ladder)
    before = league.ladders.standings(ladder.id), league.ladders.cross_table(ladder.id)
    assert league.seasons.end(ladder.id).number == 2
    assert played(league, ladder) == 0
    assert [each.name for each in league.ladders.standings(ladder.id)] == ["house/a1", "house/a2", "house/a3"]
    assert league.ladders.cross_table(ladder.id) == []
    play(league, ladder)
    assert played(league, ladder) == played(league, ladder, 1) == 6
    old = league.ladders.standings(ladder.id, 1), league.ladders.cross_table(ladder.id, season=1)
    assert old == before
    with pytest.raises(NoSuchSeason, match="the current one is 2"):
        league.ladders.standings(ladder.id, 3)


def test_a_round_under_way_counts_in_the_season_in_which_it_was_opened(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", repeats=3)
    number = league.rounds.start(ladder.id).number
    league.seasons.end(ladder.id)
    ended = league.seasons.get(ladder.id, 1)
    assert (ended.first_round, ended.last_round) == (1, number)
    assert not league.seasons.is_over(ended)
    league.finish(ladder.id, number)
    assert (played(league, ladder), played(league, ladder, 1)) == (0, 6)
    assert league.seasons.is_over(ended)
    assert {loaded.config.season for loaded in league.matches()} == {1}


def test_a_later_entry_is_not_in_the_standings_of_a_past_season(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    play(league, ladder)
    league.seasons.end(ladder.id)
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a3"))
    assert {each.name for each in league.ladders.standings(ladder.id, 1)} == {"house/a1", "house/a2"}
    assert len(league.ladders.standings(ladder.id)) == 3


def test_a_tournament_restarts_with_each_season(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", format_="swiss", parameters={"rounds": 1})
    play(league, ladder)
    with pytest.raises(NothingToPlay, match="all 1 rounds have been played"):
        league.rounds.start(ladder.id)
    league.seasons.end(ladder.id)
    play(league, ladder)
    with pytest.raises(NothingToPlay, match="all 1 rounds have been played"):
        league.rounds.start(ladder.id)


def test_seasons_end_on_schedule_and_missed_ends_become_one(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder("a1", "a2", season_cron="@daily")
    play(league, ladder)
    assert league.seasons.tick() == 0
    clock.ms += 5 * DAY_MS
    assert league.seasons.tick() == 1
    assert league.ladders.get(ladder.id).season == 2
    assert league.seasons.tick() == 0
    play(league, ladder)
    clock.ms += DAY_MS
    league.seasons.tick()
    assert [each.number for each in league.seasons.page(ladder.id)[0]] == [3, 2, 1]


def test_racing_clocks_end_a_season_once(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder("a1", "a2", season_cron="@daily")
    play(league, ladder)
    clock.ms += DAY_MS
    results = at_once(*[league.seasons.tick] * 4)
    assert [each for each in results if isinstance(each, Exception)] == []
    assert league.ladders.get(ladder.id).season == 2


def test_a_schedule_of_seasons_that_never_fires_is_refused(league: LeagueWorld) -> None:
    with pytest.raises(BadValue, match=r"season_schedule\.cron"):
        league.ladder("a1", season_cron="0 0 30 2 *")
    ladder = league.ladder("a1")
    with pytest.raises(BadValue, match=r"season_schedule\.timezone"):
        league.ladders.change(ladder.id, {"season_schedule": Schedule("@daily", "Mars/Phobos")})
