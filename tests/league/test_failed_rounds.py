"""Rounds that can't be played: they fail with a reason after few tries, and block nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from redis.exceptions import ConnectionError as LostConnection

from league.accounts.model import MatchPolicy
from league.ladders.model import Ladder, LadderState, Round, RoundState
from league.ladders.schedule import MOST_WAIT_MS, Continuous
from league.rounds import LOOK_MS, MOST_TRIES, RETRY_MS
from league.rounds.opening import RoundOpener
from league.rounds.timing import FAILED_WAIT_MS, MOST_FAILED_WAIT_MS
from league.rounds.working import TableMaker
from records.match.session import Ending
from referee.groups.model import GroupStatus
from tests.support.league import LeagueWorld, WallClock

BOTS = ("a1", "a2", "a3")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception | None], None]:
    """Make the creation of round matches fail with an error, or work again with `None`."""
    play = TableMaker.play

    def raising(error: Exception | None) -> None:
        def played(self: TableMaker, *args: Any) -> int:
            if error is not None:
                raise error
            return play(self, *args)

        monkeypatch.setattr(TableMaker, "play", played)

    return raising


def impossible(league: LeagueWorld, *bots: str, **more: Any) -> Ladder:
    """Return a ladder whose matches the rules refuse, which no client can create."""
    ladder = league.ladder(*bots, **more)
    changed = replace(ladder, deals=100_000)
    assert league.ladders.store.change(ladder, changed)
    return changed


def look_on(league: LeagueWorld, ladder: Ladder, looks: int = 2 * MOST_TRIES) -> int:
    """Let the clock check the ladder's rounds and a worker run the jobs. Return the number of jobs."""
    asked = 0
    for _ in range(looks):
        league.clock.ms += max(LOOK_MS, RETRY_MS)
        league.rounds.tick()
        woken, league.woken[:] = list(dict.fromkeys(league.woken)), []
        asked += len(woken)
        for ladder_id, number, _ in woken:
            league.rounds.work(ladder_id, number)
    return asked


def fail(league: LeagueWorld, ladder: Ladder) -> Round:
    """Start a round that fails."""
    number = league.rounds.start(ladder.id).number
    league.rounds.work(ladder.id, number)
    look_on(league, ladder)
    failed = league.ladders.round(ladder.id, number)
    assert failed.state is RoundState.FAILED
    return failed


def play(league: LeagueWorld, ladder: Ladder) -> Round:
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    league.run()
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.played) == (RoundState.DONE, done.planned)
    return done


def test_a_round_that_the_rules_refuse_fails_at_once_with_one_log_line(
    league: LeagueWorld, caplog: pytest.LogCaptureFixture
) -> None:
    ladder = impossible(league, "a1", "a2")
    number = league.rounds.start(ladder.id).number
    assert league.rounds.work(ladder.id, number) is False
    failed = league.ladders.round(ladder.id, number)
    assert (failed.state, failed.ended, failed.played) == (RoundState.FAILED, league.clock.ms, 0)
    assert failed.reason is not None
    assert failed.reason.startswith("deals: 100000 is refused")
    league.woken.clear()
    assert look_on(league, ladder) == 0
    assert league.rounds.work(ladder.id, number) is False
    (entry,) = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert ladder.id in entry.getMessage()
    assert failed.reason in entry.getMessage()


@pytest.mark.parametrize("closing_before", [True, False])
def test_a_failed_round_does_not_hold_up_a_closing_ladder(league: LeagueWorld, closing_before: bool) -> None:
    ladder = impossible(league, "a1", "a2")
    number = league.rounds.start(ladder.id).number
    if closing_before:
        assert league.ladders.change(ladder.id, state="closing").state is LadderState.CLOSING
    league.rounds.work(ladder.id, number)
    if not closing_before:
        league.ladders.change(ladder.id, state="closing")
    assert league.ladders.get(ladder.id).state is LadderState.CLOSED


def test_a_round_whose_work_always_raises_fails_after_a_few_tries(
    league: LeagueWorld, broken: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    broken(KeyError("6H TD"))
    ladder = league.ladder("a1", "a2")
    number = league.rounds.start(ladder.id).number
    tries = 0
    while league.ladders.round(ladder.id, number).state is RoundState.RUNNING:
        assert tries < MOST_TRIES
        assert league.rounds.work(ladder.id, number) is False
        tries += 1
        league.rounds.work(ladder.id, number)
        league.clock.ms += RETRY_MS
    assert tries == MOST_TRIES
    failed = league.ladders.round(ladder.id, number)
    assert failed.reason == "an unexpected error: KeyError", "its text might contain a hand"
    league.woken.clear()
    assert look_on(league, ladder) == 0
    levels = [each.levelno for each in caplog.records if each.name == "league.rounds.working"]
    assert levels == [logging.WARNING, logging.ERROR]
    broken(None)
    assert play(league, ladder).number == number + 1, "the next round is played"


def test_a_round_is_retried_while_the_store_is_away(league: LeagueWorld, broken: Callable[..., None]) -> None:
    broken(LostConnection("gone"))
    ladder = league.ladder("a1", "a2")
    number = league.rounds.start(ladder.id).number
    for _ in range(4 * MOST_TRIES):
        with pytest.raises(LostConnection):
            league.rounds.work(ladder.id, number)
    broken(None)
    league.finish(ladder.id, number)
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE


def test_a_swiss_tournament_plays_all_rounds_despite_failures(
    league: LeagueWorld, broken: Callable[..., None]
) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", format_="swiss", parameters={"rounds": 3})
    met = []
    for _ in range(3):
        broken(KeyError())
        fail(league, ladder)
        broken(None)
        met += [frozenset(bot.id for bot in each) for each in league.rounds.dry_run(ladder.id).meetings]
        play(league, ladder)
    assert len(set(met)) == 6, "all bots have met"
    assert {each.line.matches for each in league.ladders.standings(ladder.id)} == {3}


def test_a_successful_step_resets_the_tries(league: LeagueWorld, broken: Callable[..., None]) -> None:
    ladder = league.ladder("a1", "a2", repeats=100)
    number = league.rounds.start(ladder.id).number
    for _ in range(3):
        broken(KeyError())
        for _ in range(MOST_TRIES - 1):
            league.rounds.work(ladder.id, number)
            league.clock.ms += RETRY_MS
        broken(None)
        league.rounds.work(ladder.id, number, 0.0)
    assert league.ladders.round(ladder.id, number).state is RoundState.RUNNING


def test_a_knock_out_repeats_a_failed_pairing(league: LeagueWorld, broken: Callable[..., None]) -> None:
    ladder = league.ladder(*BOTS, format_="knock_out", parameters={"groups": 1})
    broken(KeyError())
    (meeting,) = league.rounds.dry_run(ladder.id).meetings
    fail(league, ladder)
    (again,) = league.rounds.dry_run(ladder.id).meetings
    assert set(again) == set(meeting)
    broken(None)
    play(league, ladder)
    broken(KeyError())
    fail(league, ladder)
    broken(None)
    play(league, ladder)
    winner = league.rounds.bracket(ladder.id).winner
    assert winner is not None
    broken(KeyError())
    league.seasons.end(ladder.id)
    assert league.rounds.bracket(ladder.id, 1).winner == winner
    fail(league, ladder)
    league.seasons.end(ladder.id)
    assert league.rounds.bracket(ladder.id, 2) == ((), None, 0), "nothing of that season was played"


@pytest.mark.parametrize("format_", ["round_robin", "arena"])
def test_continuous_rounds_wait_longer_after_each_failure(
    league: LeagueWorld, clock: WallClock, broken: Callable[..., None], format_: str
) -> None:
    broken(KeyError())
    ladder = league.ladder("a1", "a2", format_=format_, cron=Continuous(), state="running")
    store = league.ladders.store
    while store.last_round(ladder.id) < 12 or store.rounds_under_way(ladder.id):
        clock.ms = max(clock.ms + LOOK_MS, store.due_at("schedules", ladder.id) or 0)
        league.rounds.tick()
        league.start()
        look_on(league, ladder, 1)
    rounds = [each for each in store.rounds(ladder.id, range(1, 13)) if each is not None]
    assert {each.state for each in rounds} == {RoundState.FAILED}
    for number, (before, after) in enumerate(pairwise(rounds)):
        assert before.ended is not None
        pause = after.started - before.ended
        assert pause >= min(FAILED_WAIT_MS << number, MOST_FAILED_WAIT_MS)
        assert pause <= MOST_FAILED_WAIT_MS + MOST_WAIT_MS + 2 * LOOK_MS, "the delay is bounded"
    broken(None)
    clock.ms += MOST_FAILED_WAIT_MS
    league.rounds.tick()
    for number in (13, 14, 15):
        assert league.start() == 1
        league.finish(ladder.id, number)
        assert league.ladders.round(ladder.id, number).state is RoundState.DONE
        clock.ms += 1


def test_a_due_round_that_can_not_be_planned_is_stored_with_its_reason(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = league.ladder("a1", "a2", cron="* * * * *", state="running")
    with monkeypatch.context() as patched:
        patched.setattr(RoundOpener, "_next", lambda *_: {}["format"])
        failed = league.rounds.start(ladder.id, due=1000)
        with pytest.raises(KeyError):
            league.rounds.start(ladder.id)
    assert league.ladders.round(ladder.id, 1) == failed
    assert (failed.state, failed.reason) == (RoundState.FAILED, "an unexpected error: KeyError")
    assert (failed.due, failed.ended, failed.planned) == (1000, league.clock.ms, 0)
    assert league.woken == []
    assert league.rounds.start(ladder.id, due=1000).number == 1, "an instant has one round"
    assert league.rounds.start(ladder.id, due=2000).state is RoundState.RUNNING
    monkeypatch.setattr(RoundOpener, "_next", gone)
    with pytest.raises(LostConnection):
        league.rounds.start(ladder.id, due=3000)


def gone(*_: Any) -> None:
    raise LostConnection("gone")


def with_ivan(league: LeagueWorld, **more: Any) -> tuple[Ladder, str]:
    """Return a ladder of a house bot and a remote bot that plays one match at a time, and the remote bot's id."""
    _, ivan = league.bot("ivan", "fool")
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(max_matches=1))
    ladder = league.ladder("a1", **more)
    league.ladders.enter(ladder.id, ivan)
    return ladder, ivan.id


def test_matches_created_before_their_round_failed_are_played_and_count(
    league: LeagueWorld, broken: Callable[..., None]
) -> None:
    ladder, ivan = with_ivan(league, repeats=2)
    number = league.rounds.start(ladder.id).number
    league.rounds.work(ladder.id, number)
    loaded, *others = [loaded for loaded in league.matches() if not loaded.finished]
    assert others == []
    broken(KeyError())
    league.accounts.update_bot(ivan, match_policy=MatchPolicy(max_matches=2))
    look_on(league, ladder)
    assert league.ladders.round(ladder.id, number).state is RoundState.FAILED
    assert not league.referee.look(loaded.id).finished
    league.referee.resign(loaded.id, ivan)
    league.run()
    failed = league.ladders.round(ladder.id, number)
    assert (failed.state, failed.played) == (RoundState.FAILED, 1)
    assert {each.line.matches for each in league.ladders.standings(ladder.id)} == {1}


def test_an_incomplete_group_of_a_failed_round_is_void_and_readable(
    league: LeagueWorld, broken: Callable[..., None]
) -> None:
    ladder, ivan = with_ivan(league, decks="rotated")
    number = league.rounds.start(ladder.id).number
    league.rounds.work(ladder.id, number)
    (loaded,) = [loaded for loaded in league.matches() if not loaded.finished]
    league.referee.resign(loaded.id, ivan)
    broken(KeyError())
    league.run()
    look_on(league, ladder)
    failed = league.ladders.round(ladder.id, number)
    assert (failed.state, failed.played) == (RoundState.FAILED, 0)
    group = loaded.config.group
    assert group is not None
    assert league.groups.store.statuses([group.id]) == [GroupStatus.VOID]
    found = league.referee.look(loaded.id)
    assert found.void
    assert found.progress.ending is Ending.RESIGNED
    assert league.referee.record(found), "it is readable"
    assert {each.line.matches for each in league.ladders.standings(ladder.id)} == {0}
