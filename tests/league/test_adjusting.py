"""Luck-adjusted points in standings: computed once for each group, and equal to those of `kozyr points --adjusted`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from bots.search import playout
from engine.game import Game
from league.ladders.adjusted_points import LOOK_MS
from league.ladders.redis_keys import luck_keys
from league.results.group_statistics import Estimate
from league.results.luck import Adjusted, Baseline
from league.rounds import LOOK_MS as ROUND_LOOK_MS
from referee.match.session import Ending
from tests.support.league import LeagueWorld, WallClock

BOTS = ("house-a1", "house-a2", "house-a3")


def played(league: LeagueWorld, *bots: str, **more: Any) -> str:
    """Return a ladder whose first round has ended."""
    ladder = league.ladder(*(bots or ("a1", "a2", "a3")), **more)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    league.run()
    assert league.ladders.round(ladder.id, number).ended is not None
    return ladder.id


def compute_all(league: LeagueWorld, ladder: str) -> None:
    """Compute the luck of all waiting units."""
    while league.adjusting.work(ladder, 60.0):
        pass


def waiting(league: LeagueWorld, ladder: str) -> int:
    """Return how many units wait."""
    return len(league.adjusting._store.waiting(ladder, 1000))


def shown(league: LeagueWorld, ladder: str, bots: Sequence[str] = BOTS) -> dict[str, Estimate]:
    return dict(league.adjusting.adjusted(ladder, 1, bots))


def from_records(league: LeagueWorld, *, without: Sequence[str] = ()) -> dict[str, Estimate]:
    """Return the result of `kozyr points --adjusted`, with as few playouts."""
    adjusted = Adjusted(Baseline(playout, 2, decks=50))
    for loaded in league.matches():
        if loaded.finished and loaded.id not in without and loaded.progress.ending is not Ending.ABORTED:
            adjusted.add(league.referee.record(loaded).to_json())
    tally = adjusted.tally()
    return {bot: tally.of(bot) for bot in BOTS}


def assert_agree(found: dict[str, Estimate], expected: dict[str, Estimate]) -> None:
    """Assert equal means, deals and groups. (`test_moments.py` compares the intervals, which have a random seed
    here.)"""
    assert set(found) == set(expected)
    for bot, one in found.items():
        assert one.mean == pytest.approx(expected[bot].mean, abs=1e-9)
        assert (one.deals, one.groups) == (expected[bot].deals, expected[bot].groups)
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.mean <= one.high


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_standings_show_the_adjusted_points_of_the_records(league: LeagueWorld, decks: str) -> None:
    ladder = played(league, decks=decks, deals=None, repeats=8)
    assert shown(league, ladder) == {}
    assert waiting(league, ladder) == 24
    compute_all(league, ladder)
    assert_agree(shown(league, ladder), from_records(league))
    assert waiting(league, ladder) == 0


def test_luck_computed_twice_is_added_once(league: LeagueWorld) -> None:
    ladder = played(league, decks="rotated", deals=None)
    others = league.another_process().adjusting
    put = others._store.put

    def overtaken(*arguments: Any) -> bool:
        compute_all(league, ladder)
        return put(*arguments)

    others._store.put = overtaken  # type: ignore[method-assign]  # somebody else is faster
    assert not others.work(ladder, 60.0)
    assert all((each.deals, each.groups) == (4, 2) for each in shown(league, ladder).values())


def test_a_void_match_takes_its_luck_with_it(league: LeagueWorld) -> None:
    ladder = played(league, decks="independent", repeats=12)
    compute_all(league, ladder)
    gone = [loaded.id for loaded in league.matches()][:5]
    for match in gone:
        league.rounds.on_readable([[league.referee.void(match, "a mistake")]])
    assert sum(each.deals for each in shown(league, ladder).values()) == 2 * (36 - 5)
    assert waiting(league, ladder) == 5
    compute_all(league, ladder)
    assert_agree(shown(league, ladder), from_records(league, without=gone))


def test_a_group_that_changes_during_the_computation_keeps_waiting(league: LeagueWorld) -> None:
    ladder = played(league, "a1", "a2", decks="rotated", deals=None)
    matches = [loaded.id for loaded in league.matches()]
    others = league.another_process().adjusting
    put = others._store.put

    def voided(*arguments: Any) -> bool:
        league.referee.void(matches[0], "a mistake")
        league.run()
        return put(*arguments)

    others._store.put = voided  # type: ignore[method-assign]  # at the worst moment
    assert others.work(ladder, 60.0)
    assert shown(league, ladder) == {}
    compute_all(league, ladder)
    assert shown(league, ladder) == {}


def test_a_once_only_group_adjusts_the_compared_bots(league: LeagueWorld) -> None:
    ladder = played(league, "a1", "a2", "a3", decks="once_only", deals=None)
    compute_all(league, ladder)
    points = {each.bot: each.line.deals for each in league.ladders.standings(ladder) if each.line.deals}
    assert {bot: each.deals for bot, each in shown(league, ladder).items()} == points


def test_a_job_ends_with_its_budget_and_the_next_continues(league: LeagueWorld) -> None:
    ladder = played(league, "a1", "a2", deals=5)
    asked = []

    def counted(game: Game, state: Any, rng: Random) -> Sequence[int]:
        asked.append(state)
        return playout(game, state, rng)

    adjusting, jobs = league.another_process(counted).adjusting, 1
    while adjusting.work(ladder, 0.0):
        jobs += 1
    # Two kinds of deals, each with an average slant from three parts of fifty decks; five deals; and the sums.
    assert jobs == 2 * 3 + 5 + 1
    assert len(asked) == 2 * (2 * 50 + 5)
    asked.clear()
    league.rounds.on_readable([[league.referee.void(next(league.matches()).id, "a mistake")]])
    ladder = played(league, "a1", "a2", deals=5)
    league.another_process(counted).adjusting.work(ladder, 60.0)
    assert len(asked) == 2 * 5


def test_the_clock_wakes_a_job_while_units_wait(league: LeagueWorld, clock: WallClock) -> None:
    ladder = played(league, "a1", "a2")
    clock.ms += ROUND_LOOK_MS
    league.rounds.tick()
    league.adjusting.tick()
    assert league.unlucky == [ladder]
    league.adjusting.tick()
    assert league.unlucky == [ladder]
    compute_all(league, ladder)
    clock.ms += LOOK_MS
    league.adjusting.tick()
    league.adjusting.tick()
    assert league.unlucky == [ladder]


def test_the_number_of_waiting_units_is_bounded(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    wait, _, _ = luck_keys(ladder.id, 1)
    league.redis.run([("HSET", wait, f"m{number}", 1) for number in range(10_001)])
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    (loaded,) = league.matches()
    assert league.redis.one("HEXISTS", wait, loaded.id) == 0
