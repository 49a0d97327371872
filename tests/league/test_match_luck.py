"""The luck of single matches: computed by jobs on demand, equal to that of records, and only for readable matches."""

from __future__ import annotations

import pytest

from bots.search import playout
from league.results.luck import Baseline
from tests.support.league import LeagueWorld


def a_match(league: LeagueWorld, *bots: str, **more: object) -> str:
    """Return the id of a finished match of a ladder's first round."""
    ladder = league.ladder(*bots, **more)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    league.run()
    return next(loaded.id for loaded in league.matches() if loaded.finished)


def test_the_luck_of_a_match_is_that_of_its_record(league: LeagueWorld) -> None:
    loaded = league.referee.look(a_match(league, "a1", "a2"))
    assert not league.luck.of_match(loaded).complete
    while league.luck.work(loaded.id):
        pass
    found = league.luck.of_match(loaded)
    record = league.referee.record(loaded).to_json()
    baseline = Baseline(playout, 2, decks=50)
    expected = baseline.luck(record).seats
    assert found.complete
    assert found.totals == pytest.approx([luck / (2 * len(expected)) for luck in expected])
    assert [sum(deal) for deal in found.deals] == pytest.approx([0.0] * record["deals"])


def test_one_look_wakes_a_job_and_a_complete_match_wakes_none(league: LeagueWorld) -> None:
    loaded = league.referee.look(a_match(league, "a1", "a2"))
    league.luck.of_match(loaded)
    assert league.recorded.unweighed == [loaded.id]
    while league.luck.work(loaded.id):
        pass
    league.luck.of_match(loaded)
    assert league.recorded.unweighed == [loaded.id]


def test_a_job_without_time_computes_one_deal_and_asks_for_another_job(league: LeagueWorld) -> None:
    loaded = league.referee.look(a_match(league, "a1", "a2", "a3", "a4", game="king", seats=4, deals=None))
    jobs = 1
    while league.luck.work(loaded.id, 0.0):
        jobs += 1
        assert not league.luck.of_match(loaded).complete or jobs == 12
    assert jobs == 12
    assert len(league.luck.of_match(loaded).deals) == 12
