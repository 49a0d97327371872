"""A ladder whose due work fails does not stop the others."""

from __future__ import annotations

import logging

import pytest
from redis.exceptions import ConnectionError as RedisGone

from league.errors import Overtaken
from league.ladders.due import RETRY_MS, each_due
from league.ladders.model import SEASONS
from tests.support.league import LeagueWorld
from workers.periodic import PeriodicWork

OTHERS = ["one", "two"]


def worked(league: LeagueWorld, error: Exception) -> list[str]:
    """Work on three ladders that are due. The first fails with this error; return the others that had a turn."""
    store = league.ladders.store
    now, _ = store.due(SEASONS, 0)
    for place, ladder in enumerate(["broken", *OTHERS]):
        store.set_due(SEASONS, ladder, now - 10 + place)
    done: list[str] = []

    def work(ladder: str, due: int, now: int) -> None:
        if ladder == "broken":
            raise error
        done.append(ladder)

    assert each_due(store, SEASONS, 100, work) == 3
    return done


def test_a_broken_ladder_is_due_again_later(league: LeagueWorld, caplog: pytest.LogCaptureFixture) -> None:
    assert worked(league, ZeroDivisionError("no bots")) == OTHERS
    now, due = league.ladders.store.due(SEASONS, 100)
    assert [ladder for ladder, _ in due] == OTHERS
    assert league.ladders.store.due_at(SEASONS, "broken") == pytest.approx(now + RETRY_MS, abs=10_000)
    (line,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "ladder broken failed" in line.getMessage()
    assert line.exc_info


def test_a_ladder_that_others_change_stays_due(league: LeagueWorld) -> None:
    assert worked(league, Overtaken("too many changes")) == OTHERS
    _, due = league.ladders.store.due(SEASONS, 100)
    assert [ladder for ladder, _ in due] == ["broken", *OTHERS]


def test_an_absent_store_is_no_ladders_failure(league: LeagueWorld) -> None:
    with pytest.raises(RedisGone):
        worked(league, RedisGone("no server"))


def test_a_part_of_the_periodic_work_that_fails_stops_no_other(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []

    def broken() -> None:
        raise KeyError("a game that this release does not have")

    monkeypatch.setattr(league.groups, "tick", broken)
    for part in ("match_queue", "ratings", "webhooks", "reviews"):
        monkeypatch.setattr(getattr(league, part), "tick", lambda part=part: called.append(part))
    with pytest.raises(KeyError):
        PeriodicWork(league)()
    assert called == ["match_queue", "ratings", "webhooks", "reviews"]
