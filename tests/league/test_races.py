"""Races: no step of another process between two steps of a change gets lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from league.ladders.model import LadderResult, LadderState, RoundState, Totals
from league.ladders.redis import RedisLadderStore
from league.ladders.redis_totals import key_of
from league.ladders.schedule import Continuous
from redisio.connection import Redis
from tests.support.kills import Killed
from tests.support.league import LeagueWorld


def before(monkeypatch: pytest.MonkeyPatch, what: Any, name: str, happens: Callable[[], object]) -> None:
    """Run an action once, right before the first call of a method."""
    done: list[bool] = []
    method = getattr(what, name)

    def called(*given: Any, **named: Any) -> Any:
        if not done:
            done.append(True)
            happens()
        return method(*given, **named)

    monkeypatch.setattr(what, name, called)


def passes(league: LeagueWorld, count: int = 20) -> None:
    """Let the clock run this many passes, with the jobs that it enqueues."""
    for _ in range(count):
        league.clock.ms += 5_000
        league.rounds.tick()
        league.start()


def test_a_clock_check_while_a_ladder_is_set_running_loses_no_due_round(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = league.ladder("a1", "a2", cron=Continuous(), state="open")
    before(monkeypatch, league.ladders.store, "change", league.rounds.tick)
    league.ladders.change(ladder.id, state="running")
    passes(league)
    assert league.ladders.store.last_round(ladder.id)


def test_an_entry_while_a_ladder_is_set_running_loses_no_due_round(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = league.ladder("a1", "a2", cron=Continuous(), state="open")
    before(
        monkeypatch,
        league.ladders.store,
        "put_entry",
        lambda: league.ladders.change(ladder.id, state="running"),
    )
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a3"))
    passes(league)
    assert league.ladders.store.last_round(ladder.id)


@pytest.mark.parametrize("format_", ["round_robin", "arena"])
def test_a_clock_check_while_a_round_is_opened_leaves_no_unchecked_round(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    ladder = league.ladder("a1", "a2", format_=format_)
    before(monkeypatch, league.ladders.store, "open_round", league.rounds.tick)
    number = league.rounds.start(ladder.id).number
    league.woken.clear()  # its one job is lost
    passes(league, 3)
    assert {of[:2] for of in league.woken} == {(ladder.id, number)}


def test_an_interrupted_rerun_leaves_no_round_waiting_for_a_missing_match(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = league.ladder("a1", "a2")
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    match = next(league.matches()).id
    league.referee.void(match, "a test")
    league.run()

    def die() -> None:
        raise Killed

    for what, name in ((league.referee, "create_all"), (league.ladders.store, "rerun")):
        with monkeypatch.context() as broken:
            before(broken, what, name, die)
            with pytest.raises(Killed):
                league.rounds.rerun(match)
        assert league.ladders.round(ladder.id, number).state is RoundState.DONE
        league.run()
    again = league.rounds.rerun(match)
    league.run()
    of = league.ladders.round(ladder.id, number)
    assert (of.state, of.aborted, league.referee.look(again.id).finished) == (RoundState.DONE, 0, True)
    assert sum(line.line.matches for line in league.ladders.standings(ladder.id, 1)) == 2 * of.planned
    league.ladders.change(ladder.id, state="closing")
    assert league.ladders.get(ladder.id).state is LadderState.CLOSED


def test_results_of_a_lost_round_change_nothing(redis: Redis) -> None:
    store = RedisLadderStore(redis)
    lost = LadderResult("lost", 1, ("m",), {"sums": {"b": Totals(1)}})
    assert [counted.new for counted in store.count([lost])] == [False]
    assert redis.one("EXISTS", key_of("lost", "sums"), key_of("lost", "round:1")) == 0
