"""Help with rounds of house bots: several workers play them, and each match is played and counted once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from league.ladders.redis import RedisLadderStore
from league.rounds import LEASE_MS
from league.rounds.working import HELPED_FROM, LONG_PER_WORKER, TableMaker
from tests.league.test_rounds import check_done
from tests.support.kills import killed_at, sweep
from tests.support.league import LeagueWorld, WallClock
from tests.support.virtual_workers import VirtualWorkers

HOUSE = ("a1", "a2", "a3", "a4")


@pytest.mark.parametrize("decks", [pytest.param("independent", marks=pytest.mark.ci), "rotated"])
def test_eight_workers_play_a_round_six_times_as_fast_as_one(league: LeagueWorld, decks: str) -> None:
    ladder = league.ladder(*HOUSE, repeats=50 if decks == "rotated" else 100, decks=decks)
    number = league.rounds.start(ladder.id).number
    workers = VirtualWorkers(league, 8, match_s=0.02)
    seconds = workers.play(ladder.id, number)
    check_done(league, ladder.id, number, 600)
    assert seconds <= 600 * 0.02 / 6
    played = [referee.played for referee in workers.referees]
    assert sum(played) <= 600 * 1.02, "hardly any match is played twice"
    assert min(played) >= 600 / 8 / 2, "every worker plays its part"


@pytest.mark.parametrize(("tables", "asked"), [(HELPED_FROM - 1, False), (HELPED_FROM, True)])
def test_a_worker_asks_for_help_with_many_tables(league: LeagueWorld, tables: int, asked: bool) -> None:
    ladder = league.ladder("a1", "a2", repeats=tables)
    number = league.rounds.start(ladder.id).number
    league.recorded.pool = 5
    league.rounds.work(ladder.id, number, 0.0)
    assert league.recorded.helpers == ([(ladder.id, number, 4)] if asked else [])


def test_a_helper_alone_plays_all_tables_among_house_bots_and_no_other(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1", "a2", "a3", repeats=5)
    league.ladders.enter(ladder.id, ivan)
    number = league.rounds.start(ladder.id).number
    assert league.rounds.help(ladder.id, number, 60.0) is False
    assert all(loaded.finished for loaded in league.matches())
    seated = Counter(
        seat.id for loaded in league.matches() for seat in loaded.config.seats if seat is not None
    )
    assert seated == {"house-a1": 10, "house-a2": 10, "house-a3": 10}
    assert league.ladders.round(ladder.id, number).made == 15


def test_a_helper_whose_time_is_up_says_that_there_is_more(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", repeats=40)
    number = league.rounds.start(ladder.id).number
    jobs = 1
    while league.rounds.help(ladder.id, number, 0.0):
        jobs += 1
        assert jobs <= 40
    assert jobs > 1
    league.run()
    check_done(league, ladder.id, number, 40)
    assert league.rounds.help(ladder.id, number) is False, "the round has ended"


def test_a_helper_in_a_pause_does_nothing(league: LeagueWorld) -> None:
    from referee.service.state import ServiceState

    ladder = league.ladder("a1", "a2", repeats=4)
    number = league.rounds.start(ladder.id).number
    league.service.change(ServiceState.PAUSED, "repairs")
    assert league.rounds.help(ladder.id, number) is False
    assert list(league.matches()) == []


@pytest.mark.parametrize("decks", ["independent", "rotated"])
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("at", sweep(range(1, 7)))
def test_a_helper_killed_at_any_point_loses_and_repeats_nothing(
    league: LeagueWorld, clock: WallClock, decks: str, before: bool, at: int
) -> None:
    ladder = league.ladder("a1", "a2", repeats=20, decks=decks)
    number = league.rounds.start(ladder.id).number
    with killed_at(at, before=before, first=(RedisLadderStore, "make")):
        league.rounds.help(ladder.id, number, 60.0)
    league.finish(ladder.id, number)
    clock.ms += LEASE_MS
    league.rounds.tick()
    league.run()
    check_done(league, ladder.id, number, 40 if decks == "rotated" else 20)


def test_a_helper_that_lost_its_lease_handles_no_further_table(
    league: LeagueWorld, clock: WallClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = league.ladder("a1", "a2", repeats=40)
    number = league.rounds.start(ladder.id).number
    play = TableMaker.play

    def slow(self: TableMaker, *args: Any) -> int:
        clock.ms += LEASE_MS
        return play(self, *args)

    with monkeypatch.context() as patched:
        patched.setattr(TableMaker, "play", slow)
        assert league.rounds.help(ladder.id, number, 60.0) is False
    assert 0 < league.ladders.round(ladder.id, number).made < 40
    league.finish(ladder.id, number)
    check_done(league, ladder.id, number, 40)


def test_long_matches_keep_all_workers_busy(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", deals=60, repeats=40)
    number = league.rounds.start(ladder.id).number
    league.recorded.pool = 8
    league.rounds.work(ladder.id, number, 0.0)
    while league.rounds.work(ladder.id, number, 0.0):
        pass
    assert sum(not loaded.finished for loaded in league.matches()) == 8 * LONG_PER_WORKER
