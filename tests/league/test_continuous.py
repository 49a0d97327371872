"""Continuous rounds, and the forecast of the next one."""

from __future__ import annotations

from league.ladders.model import LadderState
from league.ladders.schedule import LEAST_WAIT_MS, MOST_WAIT_MS, Continuous, Schedule
from league.rounds import LOOK_MS
from league.rounds.forecast import WaitsFor
from referee.service.state import ServiceState
from tests.referee.world import at_once
from tests.support.league import LeagueWorld, WallClock


def continuous(league: LeagueWorld, *bots: str, **more: object) -> str:
    return league.ladder(*bots, cron=Continuous(), state="running", **more).id


def test_rounds_follow_one_another_without_any_clock(league: LeagueWorld) -> None:
    ladder = continuous(league, "a1", "a2")
    league.rounds.tick()
    for number in (1, 2, 3):
        assert league.start() == 1
        league.finish(ladder, number)
    assert league.ladders.store.last_round(ladder) == 3
    assert {loaded.config.round for loaded in league.matches()} == {1, 2, 3}


def test_several_clocks_start_a_round_once(league: LeagueWorld) -> None:
    ladder = continuous(league, "a1", "a2")
    results = at_once(*[league.another_process().rounds.tick for _ in range(6)])
    results += at_once(*[league.start] * 3)
    assert [each for each in results if isinstance(each, Exception)] == []
    assert league.ladders.store.last_round(ladder) == 1


def test_the_clock_repeats_a_lost_start(league: LeagueWorld, clock: WallClock) -> None:
    ladder = continuous(league, "a1", "a2")
    league.rounds.tick()
    league.start()
    league.finish(ladder, 1)
    league.started.clear()
    clock.ms += 1
    league.rounds.tick()
    assert league.start() == 1
    league.finish(ladder, 2)
    # A process may also die between counting the last match and starting the next round.
    league.started.clear()
    league.ladders.store.set_due("schedules", ladder, clock.ms + MOST_WAIT_MS)
    clock.ms += MOST_WAIT_MS
    league.rounds.tick()
    assert league.start() == 1


def test_checks_become_rarer_while_nothing_can_be_played(league: LeagueWorld, clock: WallClock) -> None:
    ladder = continuous(league, "a1")
    began, looks = clock.ms, []
    for _ in range(12):
        assert league.rounds.tick() == 1
        assert (league.start(), league.rounds.tick()) == (0, 0)
        due = league.ladders.store.due_at("schedules", ladder)
        assert due is not None
        looks.append(due - clock.ms)
        clock.ms = due
    assert looks == sorted(looks)
    assert (looks[0], looks[-1]) == (LEAST_WAIT_MS, MOST_WAIT_MS)
    assert clock.ms - began > 60_000
    league.ladders.enter(ladder, league.accounts.bot("house", "a2"))
    league.rounds.tick()
    assert league.start() == 1, "a new entry does not wait"


def test_rounds_wait_for_a_ladder_and_a_service_that_run(league: LeagueWorld, clock: WallClock) -> None:
    ladder = continuous(league, "a1", "a2")
    league.service.change(ServiceState.PAUSED, "")
    assert league.rounds.tick() == 0
    assert league.rounds.forecast(ladder).waits_for is WaitsFor.SERVICE
    league.service.change(ServiceState.RUNNING, "")
    league.rounds.tick()
    # Paused between the clock and the job.
    league.service.change(ServiceState.PAUSED, "")
    assert league.start() == 0
    league.service.change(ServiceState.RUNNING, "")
    league.rounds.tick()
    assert league.start() == 1
    league.ladders.change(ladder, state=LadderState.PAUSED)
    league.finish(ladder, 1)
    clock.ms += LOOK_MS + MOST_WAIT_MS
    league.rounds.tick()
    assert league.start() == 0
    assert league.rounds.forecast(ladder).waits_for is WaitsFor.STATE
    league.ladders.change(ladder, state=LadderState.RUNNING)
    league.rounds.tick()
    assert league.start() == 1


def test_the_forecast_is_right_at_every_step(league: LeagueWorld, clock: WallClock) -> None:
    ladder = continuous(league, "a1", season_cron="@daily")
    league.rounds.tick()
    league.start()
    forecast = league.rounds.forecast(ladder)
    assert (forecast.waits_for, forecast.next_rounds, forecast.running) == (WaitsFor.ENTRIES, [], [])
    assert forecast.next_look == clock.ms + LEAST_WAIT_MS
    assert len(forecast.next_seasons) == 5
    league.ladders.enter(ladder, league.accounts.bot("house", "a2"))
    league.rounds.tick()
    league.start()
    forecast = league.rounds.forecast(ladder)
    assert (forecast.waits_for, forecast.running) == (WaitsFor.ROUND, [1])
    league.ladders.change(ladder, {"schedule": Schedule("@hourly")})
    assert league.rounds.forecast(ladder).waits_for is WaitsFor.INSTANT
    league.ladders.change(ladder, {"schedule": None})
    assert league.rounds.forecast(ladder).waits_for is WaitsFor.ROUND
    league.woken.clear()
    league.finish(ladder, 1)
    assert league.rounds.forecast(ladder).waits_for is WaitsFor.HAND
