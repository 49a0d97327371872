"""Void matches: they do not count, and a rerun can replace them."""

from __future__ import annotations

import pytest

from league.accounts.model import MatchPolicy
from league.errors import NotRerunnable, RoundRunning
from league.ladders.model import LadderState, RoundState
from records.match.loaded_match import LoadedMatch
from referee.errors import ServicePaused
from referee.service.state import ServiceState
from tests.league.test_rounds import recomputed
from tests.support.league import LeagueWorld
from tests.support.sums import Sums, kept


def played(league: LeagueWorld, repeats: int = 1) -> tuple[str, int, list[LoadedMatch]]:
    """Return a finished round of three house bots and its matches."""
    ladder = league.ladder("a1", "a2", "a3", repeats=repeats, deals=2)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    return ladder.id, number, list(league.matches())


def without(league: LeagueWorld, ladder: str, *gone: str) -> Sums:
    """Return the ladder's totals without these matches."""
    stay = [loaded for loaded in league.matches() if loaded.id not in gone]
    return recomputed(league, ladder, stay)


def test_a_counted_match_is_taken_back_exactly_once(league: LeagueWorld) -> None:
    ladder, number, matches = played(league, repeats=2)
    first, second = matches[0], matches[3]
    for loaded in (first, second, first):
        league.rounds.on_readable([[league.referee.void(loaded.id, "a mistake")]])
        league.run()
    assert kept(league, ladder) == without(league, ladder, first.id, second.id)
    done = league.ladders.round(ladder, number)
    assert (done.state, done.planned, done.over, done.aborted, done.played) == (RoundState.DONE, 6, 6, 2, 4)


def rated(league: LeagueWorld) -> set[str]:
    """Return the groups in the rating log."""
    store = league.ratings.store
    return {result.id for bot in ("a1", "a2", "a3") for result in store.last("durak/2", f"house-{bot}", 100)}


def test_a_void_match_does_not_count_again_when_a_late_process_feeds_it(league: LeagueWorld) -> None:
    ladder, _, matches = played(league)
    assert rated(league) == {loaded.config.group_id for loaded in matches}
    league.referee.void(matches[0].id, "a mistake")
    league.run()
    league.feed(matches)  # as they were before
    assert rated(league) == {loaded.config.group_id for loaded in matches[1:]}
    assert kept(league, ladder) == without(league, ladder, matches[0].id)


def test_a_match_voided_before_it_was_counted_never_counts(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", deals=2)
    number = league.rounds.start(ladder.id).number
    count = league.rounds.store.count
    league.rounds.store.count = lambda *_: (_ for _ in ()).throw(RuntimeError("killed"))  # type: ignore[method-assign]  # on purpose
    assert league.rounds.work(ladder.id, number, 60) is False
    league.rounds.store.count = count  # type: ignore[method-assign]  # as it was
    (loaded,) = league.matches()
    league.referee.void(loaded.id, "a mistake")
    league.run()
    assert kept(league, ladder.id) == Sums({}, {})
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.over, done.played) == (RoundState.DONE, 1, 0)


def test_a_rerun_replaces_a_void_match(league: LeagueWorld) -> None:
    ladder, number, matches = played(league)
    void = matches[1]
    league.referee.void(void.id, "a mistake")
    again = league.rounds.rerun(void.id)
    assert league.rounds.rerun(void.id).id == again.id != void.id
    assert (again.round, again.is_group) == (number, False)
    assert league.referee.look(again.id).config.seats == void.config.seats
    league.run()
    done = league.ladders.round(ladder, number)
    assert (done.state, done.planned, done.made, done.over) == (RoundState.DONE, 3, 3, 3)
    assert done.played == 3
    assert kept(league, ladder) == without(league, ladder, void.id)


def test_a_rerun_in_an_old_round_does_not_change_the_current_round(league: LeagueWorld) -> None:
    ladder, number, matches = played(league)
    league.referee.void(matches[0].id, "a mistake")
    now = league.rounds.start(ladder).number
    league.rounds.rerun(matches[0].id)
    for loaded in list(league.matches()):
        if loaded.config.round == number and not loaded.finished:
            while league.referee.go_on(loaded.id, 1.0):
                pass
            league.rounds.on_readable([[league.referee.look(loaded.id)]])
    assert league.ladders.round(ladder, number).state is RoundState.DONE
    assert league.rounds.store.rounds_under_way(ladder) == [now]


def test_a_round_is_under_way_again_while_a_rerun_is_played(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1", "a2", deals=1, decks="independent")
    league.ladders.enter(ladder.id, ivan)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    for loaded in list(league.matches()):
        if not loaded.finished:
            league.referee.void(loaded.id, "a mistake")
    league.run()
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE
    void = next(loaded.id for loaded in league.matches() if loaded.void)
    again = league.rounds.rerun(void)
    with pytest.raises(RoundRunning):
        league.rounds.start(ladder.id)
    league.seasons.end(ladder.id)
    past = league.seasons.get(ladder.id, 1)
    assert not league.seasons.is_over(past)
    assert league.ladders.change(ladder.id, state=LadderState.CLOSING).state is LadderState.CLOSING
    for _ in range(2):
        league.rounds.tick()
        league.run()
    assert league.ladders.get(ladder.id).state is LadderState.CLOSING
    league.referee.resign(again.id, ivan.id)
    league.run()
    assert league.ladders.get(ladder.id).state is LadderState.CLOSED
    assert league.seasons.is_over(past)


def test_an_impossible_rerun_is_refused_with_a_reason(league: LeagueWorld) -> None:
    _, _, matches = played(league)
    with pytest.raises(NotRerunnable, match="void it first"):
        league.rounds.rerun(matches[0].id)
    seats = list(matches[0].config.seats)
    casual = league.referee.create("durak", seats, {}).id
    league.referee.void(casual, "")
    with pytest.raises(NotRerunnable, match="only ladder matches can be rerun"):
        league.rounds.rerun(casual)
    league.referee.void(matches[0].id, "a mistake")
    league.service.change(ServiceState.PAUSED, "")
    with pytest.raises(ServicePaused):
        league.rounds.rerun(matches[0].id)
    league.service.change(ServiceState.RUNNING, "")
    grouped = league.ladder("a1", "a2", "a3", decks="once_only")
    league.finish(grouped.id, league.rounds.start(grouped.id).number)
    first = next(each.id for each in league.matches() if each.config.ladder == grouped.id)
    league.referee.void(first, "a mistake")
    league.run()
    with pytest.raises(NotRerunnable, match="the group counts without the match"):
        league.rounds.rerun(first)


def test_a_match_of_a_closed_ladder_can_be_rerun(league: LeagueWorld) -> None:
    ladder, number, matches = played(league)
    league.ladders.change(ladder, state=LadderState.CLOSING)
    assert league.ladders.get(ladder).state is LadderState.CLOSED
    league.referee.void(matches[0].id, "a mistake")
    league.rounds.rerun(matches[0].id)
    league.run()
    assert league.ladders.round(ladder, number).played == 3
    assert league.ladders.get(ladder).state is LadderState.CLOSED


def in_groups(league: LeagueWorld) -> tuple[str, int]:
    """Return a finished round of duplicate groups of three house bots."""
    ladder = league.ladder("a1", "a2", "a3", decks="rotated")
    number = league.rounds.start(ladder.id).number
    league.run()
    return ladder.id, number


def test_a_whole_duplicate_group_is_rerun_with_a_new_deck(league: LeagueWorld) -> None:
    ladder, number = in_groups(league)
    before = list(league.matches())
    void = before[0]
    gone = [each.id for each in before if each.config.group_id == void.config.group_id]
    league.referee.void(void.id, "a mistake")
    league.run()
    assert (len(gone), league.ladders.round(ladder, number).played) == (2, 4)
    again = league.rounds.rerun(void.id)
    assert again.is_group
    assert league.rounds.rerun(void.id) == again
    assert league.ladders.round(ladder, number).state is RoundState.RUNNING
    league.run()
    done = league.ladders.round(ladder, number)
    assert (done.state, done.planned, done.made, done.over, done.played) == (RoundState.DONE, 6, 6, 6, 6)
    assert league.rounds.rerun(void.id) == again
    fresh = [each for each in league.matches() if each.config.group_id == again.id]
    assert {each.config.group_id for each in league.matches()} - {again.id} == {
        each.config.group_id for each in before
    }
    assert [sorted(seat.id for seat in each.config.seats if seat) for each in fresh] == [
        sorted(seat.id for seat in void.config.seats if seat)
    ] * 2
    assert fresh[0].secret != void.secret
    assert kept(league, ladder) == without(league, ladder, *gone)


def test_a_group_is_rerun_as_often_as_it_is_voided(league: LeagueWorld) -> None:
    ladder, number = in_groups(league)
    group = next(iter(league.matches())).config.group_id
    gone: list[str] = []
    for _ in range(3):
        matches = [each.id for each in league.matches() if each.config.group_id == group]
        for match in matches:
            league.referee.void(match, "a mistake")
        league.run()
        gone += matches
        group = league.rounds.rerun(matches[-1]).id
        league.run()
    assert kept(league, ladder) == without(league, ladder, *gone)
    assert league.ladders.round(ladder, number).played == 6
    assert list(league.consistency.findings()) == []


def test_a_group_that_still_runs_or_a_failed_round_is_not_rerun(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1", decks="rotated")
    league.ladders.enter(ladder.id, ivan)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    match = next(iter(league.matches())).id
    league.referee.void(match, "a mistake")
    with pytest.raises(NotRerunnable, match="not over"):
        league.rounds.rerun(match)


def test_a_rerun_is_refused_while_a_bot_excludes_the_owner_of_another(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1", deals=1, decks="independent")
    league.ladders.enter(ladder.id, ivan)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    (void,) = league.matches()
    league.referee.void(void.id, "a mistake")
    league.run()
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(excluded_owners=("house",)))
    with pytest.raises(NotRerunnable, match="no longer let them play"):
        league.rounds.rerun(void.id)
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy())
    again = league.referee.look(league.rounds.rerun(void.id).id)
    assert again.config.seats == void.config.seats
