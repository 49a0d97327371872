"""Standings are kept in memory, and never served stale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from league.ladders.standings import LadderStandings, RankedBot
from league.ratings import redis as rating_redis
from league.ratings.redis import RedisRatingStore, version_command
from records.ratings import fit
from redisio.connection import Redis
from redisio.scripts import Command
from tests.league.test_rating_book import ArchivingBook, by_group, feed, index, kept, matches_of
from tests.support.league import LeagueWorld

__all__ = ["index"]


def standings_of(league: LeagueWorld) -> LadderStandings:
    """Return standings of this process that have kept nothing yet."""
    return LadderStandings(league.redis, league.ladders, league.ratings)


@contextmanager
def after_each_trip(check: Any) -> Iterator[None]:
    """Call `check` after each round trip to Redis in the block, except its own."""
    run, checking = Redis.run, False

    def checked(self: Redis, commands: Sequence[Command], **how: bool) -> list[Any]:
        nonlocal checking
        answers = run(self, commands, **how)
        if not checking:
            checking = True
            check()
            checking = False
        return answers

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Redis, "run", checked)
        yield


@pytest.fixture
def reader(league: LeagueWorld) -> LeagueWorld:
    """Another process, which only reads."""
    return league.another_process()


@pytest.mark.parametrize(
    "settings", [{"repeats": 4}, {"format_": "swiss"}, {"format_": "knock_out"}, {"format_": "versus"}]
)
def test_no_process_serves_standings_from_before_a_change_of_another(
    league: LeagueWorld, reader: LeagueWorld, settings: dict[str, Any]
) -> None:
    """A reader compares what it keeps with a fresh read, after each round trip of a writer."""
    bots = ("a1",) if settings.get("format_") == "versus" else ("a1", "a2")
    ladder = league.ladder(*bots, decks="rotated", deals=None, **settings).id
    seen, stale = set[Sequence[RankedBot]](), list[Sequence[RankedBot]]()

    def compare() -> None:
        shown = reader.standings.table(ladder, 1).rows
        if shown != standings_of(reader).table(ladder, 1).rows:
            stale.append(shown)
        seen.add(tuple(shown))

    with after_each_trip(compare):
        league.ladders.enter(ladder, league.accounts.bot("house", "a3"))
        number = league.rounds.start(ladder).number
        league.finish(ladder, number)
        league.run()
        for preset in league.ratings.presets():
            league.ratings.catch_up(preset)
        gone = next(iter(league.matches())).id
        league.rounds.on_readable([[league.referee.void(gone, "a mistake")]])
        league.run()
        league.ladders.withdraw(ladder, "house-a3")
        league.ladders.change(ladder, state="open")
        league.seasons.end(ladder)
    assert stale == []
    assert len(seen) > 5
    if "repeats" in settings:  # the others lose their only rated group with the void match
        (row, *_) = reader.standings.table(ladder, 1).rows
        assert row.rating is not None


def test_current_ratings_change_only_with_their_version(
    redis: Redis, index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an archived group becomes void, and with another model."""
    groups = by_group(matches_of(12, 3))
    book = ArchivingBook(redis, index)
    bots = sorted({player.id for group in groups for match in group for player in match.seats})
    store, found = RedisRatingStore(redis), dict[str, tuple[Any, Any]]()

    def compare() -> None:
        for preset in book.presets():
            version, ratings = redis.one(*version_command(preset)), store.of_bots(preset, bots)
            known, before = found.get(preset, (None, ratings))
            assert ratings == before or version != known
            found[preset] = version, ratings

    with after_each_trip(compare):
        for group in groups:
            feed(book, group)
        while book.move():
            pass
        book.take_back(groups[-1][0].preset, groups[-1][0].group)
        monkeypatch.setattr(rating_redis, "MODEL", "another")
        monkeypatch.setattr(fit, "SIGMA", 100.0)
        for preset in book.tick():
            while book.catch_up(preset):
                pass
    assert kept(book)


def test_standings_are_read_again_after_a_new_connection(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that lost its last writes gives other changes the same version."""
    ladder = league.ladder("a1", "a2").id
    table = league.standings.table(ladder)
    monkeypatch.setattr(Redis, "changes", league.redis.changes + 1)
    assert league.standings.table(ladder) is not table


def test_unchanged_standings_are_ranked_once(league: LeagueWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """With many bots and rounds, ranking takes long, and pages and badges read standings all the time."""
    ladder = league.ladder("a1", "a2", format_="swiss").id
    table, before = league.standings.table(ladder), league.redis.round_trips
    monkeypatch.setattr(league.ladders, "standings", None)
    assert league.standings.table(ladder) is table
    assert league.redis.round_trips == before + 2
