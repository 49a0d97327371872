"""Rounds: each match is played and counted once, whatever happens to the workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from league.accounts.service import MatchPolicy
from league.errors import WrongLadderState
from league.ladders.model import Ladder, Round, RoundState
from league.ladders.redis import RedisLadderStore
from league.rounds import LEASE_MS, LOOK_MS
from league.rounds.working import TableMaker
from records.match import views
from records.match.loaded_match import LoadedMatch
from records.match.move_requests import MoveRequest
from records.match.session import Ending
from tests.referee.world import at_once
from tests.support.kills import killed_at, sweep
from tests.support.league import LeagueWorld, WallClock
from tests.support.sums import Sums, kept, of_records


def recomputed(league: LeagueWorld, ladder: str, matches: Sequence[LoadedMatch] | None = None) -> Sums:
    """Return the ladder's totals from the records of all its matches, or of these."""
    return of_records(
        league.referee.record(loaded).to_json()
        for loaded in (league.matches() if matches is None else matches)
        if loaded.config.ladder == ladder and loaded.finished and loaded.progress.ending is not Ending.ABORTED
    )


def check_done(league: LeagueWorld, ladder: str, number: int, matches: int) -> Round:
    """Assert that the round has ended with each of its matches played and counted once."""
    done = league.ladders.round(ladder, number)
    assert (done.state, done.planned, done.made, done.over) == (RoundState.DONE, matches, matches, matches)
    played = [
        loaded
        for loaded in league.matches()
        if loaded.config.ladder == ladder and loaded.config.round == number
    ]
    assert len(played) == matches
    assert all(loaded.finished for loaded in played)
    assert kept(league, ladder) == recomputed(league, ladder)
    return done


def test_a_round_of_house_bots_is_played_to_its_end(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", repeats=2, deals=2)
    number = league.rounds.start(ladder.id).number
    assert league.woken == [(ladder.id, number, 0)]
    league.finish(ladder.id, number)
    done = check_done(league, ladder.id, number, 6)
    assert (done.played, done.aborted, done.dropped, done.excluded) == (6, 0, 0, 0)
    standings = league.ladders.standings(ladder.id)
    assert [standing.line.matches for standing in standings] == [4, 4, 4]
    assert [standing.line.deals for standing in standings] == [8, 8, 8]
    means = [standing.line.points_per_deal for standing in standings]
    assert means == sorted(means, key=lambda mean: -(mean or 0))


def test_further_jobs_finish_a_long_match(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", deals=60)
    number = league.rounds.start(ladder.id).number
    assert league.rounds.work(ladder.id, number, 0.0) is False
    assert not next(league.matches()).finished
    league.run()
    check_done(league, ladder.id, number, 1)


def test_counting_a_match_twice_counts_it_once(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", repeats=3)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    before = kept(league, ladder.id)
    for loaded in list(league.matches()):
        league.rounds.on_readable([[loaded]])
    assert kept(league, ladder.id) == before
    check_done(league, ladder.id, number, 3)


def test_a_job_started_twice_at_once_plays_each_match_once(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", repeats=3)
    number = league.rounds.start(ladder.id).number
    workers = [league.another_process().rounds for _ in range(3)]
    results = at_once(*[partial(worker.work, ladder.id, number, 30.0) for worker in workers])
    assert [each for each in results if isinstance(each, Exception)] == []
    league.finish(ladder.id, number)
    check_done(league, ladder.id, number, 18)


@pytest.mark.parametrize("decks", ["independent", "rotated"])
@pytest.mark.parametrize("at", sweep([1, 4, 9, 21]))
@pytest.mark.parametrize("before", [True, False])
def test_a_round_whose_worker_died_at_any_round_trip_is_finished_with_each_match_played_once(
    league: LeagueWorld, clock: WallClock, decks: str, at: int, before: bool
) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", repeats=10, decks=decks)
    number = league.rounds.start(ladder.id).number
    with killed_at(at, before=before, first=(RedisLadderStore, "make")):
        league.rounds.work(ladder.id, number, 60.0)
    other = league.another_process().rounds
    assert other.work(ladder.id, number) is False, "the dead worker still has the lease"
    clock.ms += LEASE_MS - 1
    assert league.another_process().rounds.work(ladder.id, number) is False
    clock.ms += 1
    league.woken.clear()
    league.rounds.tick()
    assert league.woken == [(ladder.id, number, 1)], "a worker is woken within a minute"
    league.run()
    check_done(league, ladder.id, number, 120 if decks == "rotated" else 60)


def test_a_worker_that_lost_its_lease_handles_no_further_table(
    league: LeagueWorld, clock: WallClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = league.ladder("a1", "a2", repeats=40)
    number = league.rounds.start(ladder.id).number
    play, other = TableMaker.play, league.another_process().rounds
    taken: list[bool] = []

    def slow(self: TableMaker, *args: object) -> bool:
        if self is not other.work.__self__._maker and not taken:
            clock.ms += LEASE_MS
            taken.append(other.work(ladder.id, number, 0.0))
        return play(self, *args)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(TableMaker, "play", slow)
    assert league.rounds.work(ladder.id, number, 60.0) is False
    assert taken == [True]
    assert 0 < league.ladders.round(ladder.id, number).made < 40
    league.finish(ladder.id, number)
    check_done(league, ladder.id, number, 40)


def test_rounds_start_only_where_the_state_allows_it(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", state="draft")
    with pytest.raises(WrongLadderState):
        league.rounds.start(ladder.id)
    league.ladders.change(ladder.id, state="open")
    with pytest.raises(WrongLadderState):
        league.rounds.start(ladder.id, due=1000)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    league.ladders.change(ladder.id, state="paused")
    with pytest.raises(WrongLadderState):
        league.rounds.start(ladder.id)


def test_matches_with_remote_bots_wait_for_room(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    _, olga = league.bot("olga", "queen")
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(None, 2))
    ladder = league.ladder("a1", repeats=3)
    for bot in (ivan, olga):
        league.ladders.enter(ladder.id, bot)
    number = league.rounds.start(ladder.id).number
    league.woken.clear()
    assert league.rounds.work(ladder.id, number) is False, "nothing more to do at once"
    seated = Counter(
        seat.id for loaded in league.matches() for seat in loaded.config.seats if seat is not None
    )
    assert seated[ivan.id] == 2, "never more at a time than it accepts"
    assert league.ladders.round(ladder.id, number).made == seated[ivan.id] + 3
    # One of them ends: there is room for the next, and a worker is woken to create it.
    loaded = next(loaded for loaded in league.matches() if loaded.config.seat_of(ivan.id) is not None)
    league.rounds.on_readable([[league.referee.abort(loaded.id)]])
    assert league.woken == [(ladder.id, number, 1)]
    league.rounds.work(ladder.id, number)
    running = [loaded for loaded in league.matches() if not loaded.finished]
    assert sum(loaded.config.seat_of(ivan.id) is not None for loaded in running) == 2
    # The others are aborted one by one: the round ends, and none of them counts.
    while running:
        for loaded in running:
            league.rounds.on_readable([[league.referee.abort(loaded.id)]])
        league.rounds.work(ladder.id, number)
        running = [loaded for loaded in league.matches() if not loaded.finished]
    done = check_done(league, ladder.id, number, 9)
    assert (done.aborted, done.played) == (9, 0)
    assert all(standing.line.matches == 0 for standing in league.ladders.standings(ladder.id))


def test_a_bot_withdrawn_in_mid_round_gets_no_further_match(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(None, 1))
    ladder = league.ladder("a1", "a2", repeats=2)
    league.ladders.enter(ladder.id, ivan)
    number = league.rounds.start(ladder.id).number
    league.rounds.work(ladder.id, number)
    (loaded,) = [loaded for loaded in league.matches() if loaded.config.seat_of(ivan.id) is not None]
    league.ladders.withdraw(ladder.id, ivan.id)
    league.rounds.work(ladder.id, number)
    done = league.ladders.round(ladder.id, number)
    assert (done.made, done.dropped, done.state) == (6, 3, RoundState.RUNNING)
    league.rounds.on_readable([[league.referee.abort(loaded.id)]])
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.played, done.aborted, done.dropped) == (RoundState.DONE, 2, 1, 3)


def test_the_clock_checks_a_waiting_round(league: LeagueWorld, clock: WallClock) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1")
    league.ladders.enter(ladder.id, ivan)
    number = league.rounds.start(ladder.id).number
    league.rounds.work(ladder.id, number)
    league.woken.clear()
    league.rounds.tick()
    assert league.woken == []
    clock.ms += LOOK_MS
    league.rounds.tick()
    league.rounds.tick()
    assert league.woken == [(ladder.id, number, 1)]


def test_ten_missed_starts_become_one(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder("a1", "a2", cron="* * * * *", state="running")
    first = league.ladders.next_rounds(ladder.id, 1)[0]
    clock.ms = first + 10 * 60_000
    for _ in range(3):
        league.rounds.tick()
    assert set(league.started) == {(ladder.id, first)}
    league.start()
    assert league.ladders.store.due_at("schedules", ladder.id) == clock.ms + 60_000
    league.woken.clear()
    clock.ms += 60_000
    league.rounds.tick()
    assert league.started == [(ladder.id, clock.ms)]


def test_a_lost_start_is_enqueued_again_and_opens_one_round(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder("a1", "a2", cron="0 0 * * *", state="running")
    due = clock.ms = league.ladders.next_rounds(ladder.id, 1)[0]
    league.rounds.tick()
    league.started.clear()  # the queue lost the job
    clock.ms += 30_000
    league.rounds.tick()
    assert league.started == [(ladder.id, due)]
    league.start()
    league.started.append((ladder.id, due))  # a job that RQ kept
    league.start()
    league.rounds.tick()
    assert league.started == []
    assert league.ladders.store.last_round(ladder.id) == 1
    assert league.ladders.round(ladder.id, 1).due == due


@pytest.mark.parametrize("change", ["paused", "closing", "no schedule"])
def test_a_stopped_ladder_has_no_due_rounds(league: LeagueWorld, clock: WallClock, change: str) -> None:
    ladder = league.ladder("a1", "a2", cron="* * * * *", state="running")
    if change == "no schedule":
        league.ladders.change(ladder.id, {"schedule": None})
    else:
        league.ladders.change(ladder.id, state=change)
    clock.ms += 3_600_000
    league.rounds.tick()
    assert league.started == []


# Duplicate groups


def grouped(league: LeagueWorld, *names: str, **more: Any) -> tuple[Ladder, int, list[str]]:
    """Return a ladder of rotated groups with these bots of different owners, its first round under way, and the bots'
    ids."""
    ladder = league.ladder("a1", "a2", decks="rotated", deals=None, **more)
    bots = [league.bot(name, "bot")[1] for name in names]
    for bot in bots:
        league.ladders.enter(ladder.id, bot)
    return ladder, league.rounds.start(ladder.id).number, [bot.id for bot in bots]


def play(league: LeagueWorld, match: str, *bots: str) -> bool:
    """Play these bots' turns in a match until none is left. Return whether there was any."""
    asked = False
    while True:
        loaded = league.referee.look(match)
        for bot in bots:
            if loaded.config.seat_of(bot) is not None:
                loaded = league.referee.show_up(match, bot)
        at_turn = [bot for bot in bots if loaded.asks(loaded.config.seat_of(bot) or 0)]
        bot = next((bot for bot in at_turn if loaded.config.seat_of(bot) == loaded.progress.to_move), None)
        if bot is None:
            return asked
        asked = True
        seen = views.observation(loaded, loaded.progress.to_move)
        assert seen is not None
        league.referee.moves.move(bot, MoveRequest(match, seen["legal_moves"][0], turn=loaded.progress.turn))


def play_on(league: LeagueWorld, *bots: str) -> None:
    """Play these bots' turns in all matches of the round."""
    while True:
        league.run()
        asked = [play(league, loaded.id, *bots) for loaded in list(league.matches())]
        if not any(asked):
            return


def test_a_round_of_groups_is_counted_group_by_group(league: LeagueWorld) -> None:
    ladder, number, bots = grouped(league, "ann", "bob")
    play_on(league, *bots)
    done = check_done(league, ladder.id, number, 12)
    assert (done.played, done.aborted, done.dropped) == (12, 0, 0)
    groups: dict[str, set[tuple[int, ...]]] = {}
    for loaded in league.matches():
        assert loaded.config.group is not None
        groups.setdefault(loaded.config.group.id, set()).add(loaded.config.group.members)
    assert sorted(len(tables) for tables in groups.values()) == [2] * 6


def test_no_match_counts_before_its_group_has_ended(league: LeagueWorld) -> None:
    ladder = league.ladder(decks="rotated", deals=None)
    bots = [league.bot(name, "bot")[1].id for name in ("ann", "bob")]
    for bot in bots:
        league.ladders.enter(ladder.id, league.accounts.bot_by_id(bot))
    number = league.rounds.start(ladder.id).number
    league.run()
    (first,) = league.matches()
    play(league, first.id, *bots)
    league.run()
    assert kept(league, ladder.id) == Sums({}, {})
    assert league.ladders.round(ladder.id, number).over == 0
    (second,) = [loaded for loaded in league.matches() if not loaded.finished]
    play(league, second.id, *bots)
    league.run()
    check_done(league, ladder.id, number, 2)
    assert {of.deals for of in kept(league, ladder.id).standings.values()} == {2}


def test_a_remote_bot_sits_at_one_table_of_a_group_at_a_time(league: LeagueWorld) -> None:
    grouped(league, "ann", "bob", repeats=3)
    league.run()
    at_play = [
        loaded.config.group.id for loaded in league.matches() if loaded.config.group and not loaded.finished
    ]
    assert len(at_play) == len(set(at_play)) == 15


def test_a_group_under_way_continues_without_a_withdrawn_bot(league: LeagueWorld) -> None:
    ladder, number, (ann, bob) = grouped(league, "ann", "bob")
    league.run()
    league.ladders.withdraw(ladder.id, bob)
    play_on(league, ann, bob)
    assert check_done(league, ladder.id, number, 12).dropped == 0


def test_a_group_that_has_not_begun_is_dropped_completely(league: LeagueWorld) -> None:
    ladder, number, (ann, bob) = grouped(league, "ann", "bob")
    league.ladders.withdraw(ladder.id, bob)
    play_on(league, ann)
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.over, done.dropped) == (RoundState.DONE, 12, 6)


def test_the_entropy_of_an_entry_goes_into_the_shuffles_of_its_matches(league: LeagueWorld) -> None:
    for decks in ("independent", "rotated"):
        ladder = league.ladder("a1", decks=decks, deals=None)
        _, bot = league.bot("ann", decks)
        league.ladders.enter(ladder.id, bot)
        assert league.ladders.enter(ladder.id, bot, "свой шум").entropy == "свой шум"
        assert league.ladders.enter(ladder.id, bot).entropy == "свой шум"
        league.rounds.start(ladder.id)
        league.run()
        for loaded in league.matches():
            if loaded.config.ladder == ladder.id:
                assert sorted(loaded.config.entropy, key=str) == [None, "свой шум"]
                seat = loaded.config.seat_of(bot.id)
                assert [number for number, given in enumerate(loaded.config.registered()) if given] == [seat]
