"""Bots that don't show up: they lose at once in Swiss and knock-out, and nothing counts elsewhere."""

from __future__ import annotations

import pytest

from league.accounts.model import Bot
from league.ladders.model import Ladder, RoundState
from records.match.session import Ending
from tests.league.test_rounds import recomputed
from tests.support.league import LeagueWorld, ServiceTime
from tests.support.sums import kept


@pytest.fixture
def service_time(league: LeagueWorld) -> ServiceTime:
    return ServiceTime(league.redis)


def with_absent(
    league: LeagueWorld, *house: str, absent: int = 1, **more: object
) -> tuple[Ladder, list[Bot]]:
    """Return a ladder of these house bots and of remote bots that never show up."""
    ladder = league.ladder(*house, **more)
    bots = [league.bot(f"owner-{number}", "late")[1] for number in range(absent)]
    for bot in bots:
        league.ladders.enter(ladder.id, bot)
    return ladder, bots


def played(league: LeagueWorld, service_time: ServiceTime, ladder: str, wait_ms: int | None = None) -> int:
    """Play a round until all matches are over or waited long enough. Return its number."""
    number = league.rounds.start(ladder).number
    league.run()
    for _ in range(5):
        service_time.go(wait_ms or league.referee.times.start_ms)
        league.run()
    assert league.ladders.round(ladder, number).state is RoundState.DONE
    return number


def points(league: LeagueWorld, ladder: str) -> dict[str, float | None]:
    return {each.name: each.rank.values[0] for each in league.ladders.standings(ladder)}


@pytest.mark.parametrize("decks", ["rotated", "independent"])
def test_a_no_show_is_a_loss_in_swiss_and_the_bot_that_waited_has_won(
    league: LeagueWorld, service_time: ServiceTime, decks: str
) -> None:
    ladder, _ = with_absent(league, "a1", format_="swiss", parameters={"rounds": 2}, decks=decks)
    played(league, service_time, ladder.id)
    assert points(league, ladder.id) == {"house/a1": 1.0, "owner-0/late": 0.0}
    assert league.ladders.round(ladder.id, 1).played == 0
    played(league, service_time, ladder.id)
    assert points(league, ladder.id) == {"house/a1": 2.0, "owner-0/late": 0.0}


def test_two_absent_bots_both_lose(league: LeagueWorld, service_time: ServiceTime) -> None:
    ladder, _ = with_absent(league, absent=2, format_="swiss", parameters={"rounds": 1}, decks="rotated")
    played(league, service_time, ladder.id)
    assert set(points(league, ladder.id).values()) == {0.0}


@pytest.mark.parametrize("decks", ["rotated", "independent"])
def test_a_no_show_loses_its_meeting_of_a_knock_out_at_once(
    league: LeagueWorld, service_time: ServiceTime, decks: str
) -> None:
    ladder, _ = with_absent(league, "a1", "a2", "a3", format_="knock_out", decks=decks)
    played(league, service_time, ladder.id)
    (late,) = [node for node in league.rounds.bracket(ladder.id).stages[0].nodes if "late" in str(node.table)]
    assert [each.house for each in late.through or ()] == [True]
    assert not late.walkover


def test_one_of_two_absent_bots_goes_on_at_once(league: LeagueWorld, service_time: ServiceTime) -> None:
    ladder, bots = with_absent(league, absent=2, format_="knock_out", decks="rotated")
    played(league, service_time, ladder.id)
    winner = league.rounds.bracket(ladder.id).winner
    assert winner is not None
    assert winner.id in {bot.id for bot in bots}


def test_a_void_no_show_can_be_rerun(league: LeagueWorld, service_time: ServiceTime) -> None:
    ladder, _ = with_absent(league, "a1", format_="swiss", parameters={"rounds": 1}, decks="rotated")
    number = played(league, service_time, ladder.id)
    (match,) = [each for each in league.matches() if each.progress.absent]
    assert match.progress.ending is Ending.ABORTED
    league.referee.void(match.id, "our network was down")
    league.run()
    assert set(points(league, ladder.id).values()) == {0.5}
    league.rounds.rerun(match.id)
    assert league.ladders.round(ladder.id, number).over == 0
    for _ in range(5):
        service_time.go(league.referee.times.start_ms)
        league.run()
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.over, done.aborted + done.dropped) == (RoundState.DONE, 2, 2)
    assert points(league, ladder.id) == {"house/a1": 1.0, "owner-0/late": 0.0}


@pytest.mark.parametrize("format_", ["round_robin", "gauntlet", "versus"])
def test_nothing_of_a_match_without_its_bot_counts_where_points_decide(
    league: LeagueWorld, service_time: ServiceTime, format_: str
) -> None:
    ladder, _ = with_absent(league, "a1", format_=format_, decks="rotated")
    league.rounds.start(ladder.id)
    league.run()
    service_time.go(league.referee.times.start_ms)
    league.run(5)
    assert kept(league, ladder.id) == recomputed(league, ladder.id, ())
    assert {each.line.deals for each in league.ladders.standings(ladder.id)} == {0}
    assert league.ladders.store.outcomes(ladder.id, 1) == []


@pytest.mark.parametrize("decks", ["rotated", "independent"])
def test_a_bot_that_is_withdrawn_before_its_table_loses_it_in_swiss(league: LeagueWorld, decks: str) -> None:
    ladder, (bot,) = with_absent(league, "a1", format_="swiss", parameters={"rounds": 1}, decks=decks)
    number = league.rounds.start(ladder.id).number
    league.ladders.withdraw(ladder.id, bot.id)
    league.run()
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.dropped) == (RoundState.DONE, done.planned)
    assert points(league, ladder.id) == {"house/a1": 1.0, "owner-0/late": 0.0}


def test_a_ladder_says_how_long_its_matches_wait(league: LeagueWorld, service_time: ServiceTime) -> None:
    ladder, _ = with_absent(
        league, "a1", format_="swiss", parameters={"rounds": 1}, decks="rotated", start_ms=300_000
    )
    number = league.rounds.start(ladder.id).number
    league.run()
    service_time.go(299_000)
    league.run()
    assert league.ladders.round(ladder.id, number).state is RoundState.RUNNING
    service_time.go(1_000)
    league.run()
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE
    assert points(league, ladder.id) == {"house/a1": 1.0, "owner-0/late": 0.0}
