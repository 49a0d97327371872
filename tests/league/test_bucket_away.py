"""A bucket that is away stops no match, no group and no round: only what is archived can't be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league.ladders.model import RoundState
from league.queue.model import MatchBatch
from league.rounds import LOOK_MS, MOST_TRIES, RETRY_MS
from records.ids import new_match_id
from records.match.clock import ClockRule
from records.match.new_match import NewMatch
from records.match.session import Seat
from redisio.connection import Redis
from referee.groups.model import Group, GroupKind, GroupStatus
from referee.object_store import ArchiveAway
from referee.storage.index import MatchFilter
from tests.league.test_archived_league import BOTS, ArchivedLeague
from tests.support.league import WallClock

SEATS = tuple(Seat(f"house/{bot}", f"house-{bot}", "1", True) for bot in BOTS[:2])


class AwayBucket:
    """An object store that can't be reached."""

    place = "a bucket"

    def __getattr__(self, name: str) -> Any:
        def away(*args: Any) -> None:
            raise ArchiveAway("the bucket is away")

        return away


class OutageLeague(ArchivedLeague):
    """A league whose bucket can be away."""

    def without_bucket(self) -> ArchivedLeague:
        """Return a process that starts while the bucket is away, so that it has read nothing of the archive."""
        other = self.fresh()
        other.recorded = self.recorded
        other.options = replace(other.options, archive=AwayBucket, jobs=lambda: self.recorded)
        return other


@pytest.fixture
def league(redis: Redis, clock: WallClock, tmp_path: Path) -> OutageLeague:
    """Return a league in which everything is archived."""
    league = OutageLeague(redis, clock, tmp_path / "archive")
    league.play(league.ladder(*BOTS, decks="rotated", rated=True, repeats=3).id)
    league.later()
    while league.moved(1000):
        pass
    return league


def test_a_process_without_the_bucket_can_not_read_an_archived_match(league: OutageLeague) -> None:
    match = league.index.ended(MatchFilter(), None, 1).ids[0]
    assert league.fresh().referee.look(match).archived
    with pytest.raises(ArchiveAway):
        league.without_bucket().referee.look(match)


@pytest.mark.parametrize("decks", ["rotated", "independent", "once_only"])
def test_a_round_is_played_while_the_bucket_is_away(league: OutageLeague, decks: str) -> None:
    other = league.without_bucket()
    ladder = other.ladder(*BOTS, decks=decks, rated=True, repeats=3, game="kryt")
    number = other.rounds.start(ladder.id).number
    other.finish(ladder.id, number)
    other.run(5)
    done = other.ladders.round(ladder.id, number)
    assert (done.state, done.played) == (RoundState.DONE, done.planned)
    other.rated()
    assert other.ratings.page(ladder.preset)[0]


def test_a_round_that_lost_its_worker_goes_on_while_the_bucket_is_away(
    league: OutageLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = league.without_bucket()
    ladder = other.ladder(*BOTS, repeats=3)
    number = other.rounds.start(ladder.id).number

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(other.referee, "create_all", dies)
        with pytest.raises(KeyboardInterrupt):
            other.rounds.work(ladder.id, number)
    assert other.ladders.store.open_matches(ladder.id, number)
    other.redis.one("DEL", f"kozyr:{{ladder:{ladder.id}}}:lease:{number}")
    next_worker = league.without_bucket()
    for _ in range(20):
        next_worker.clock.ms += max(LOOK_MS, RETRY_MS)
        next_worker.rounds.tick()
        next_worker.run(3)
    done = next_worker.ladders.round(ladder.id, number)
    assert (done.state, done.played) == (RoundState.DONE, done.planned)


def test_a_round_that_needs_the_bucket_waits_for_it_instead_of_failing(league: OutageLeague) -> None:
    ladder = league.ladder(*BOTS, decks="rotated")
    number = league.rounds.start(ladder.id).number
    # As a release before this one has stored it: nobody knows how old its ids are.
    key = f"kozyr:{{ladder:{ladder.id}}}:round:{number}"
    other = league.without_bucket()
    doc = league.redis.one("HGET", key, "doc").replace(b'"since":', b'"unknown":')
    league.redis.one("HSET", key, "doc", doc)
    for _ in range(2 * MOST_TRIES):
        league.clock.ms += max(LOOK_MS, RETRY_MS)
        with pytest.raises(ArchiveAway):
            other.rounds.work(ladder.id, number)
    assert league.ladders.round(ladder.id, number).state is RoundState.RUNNING
    league.finish(ladder.id, number)
    league.run(5)
    assert league.ladders.round(ladder.id, number).state is RoundState.DONE


def test_matches_and_groups_are_created_while_the_bucket_is_away(league: OutageLeague) -> None:
    other = league.without_bucket()
    since = other.store.recorded()
    new = NewMatch("durak", SEATS, {}, 1, since=since)
    loaded_matches = other.referee.create_all([new._replace(id=new_match_id()) for _ in range(100)])
    again = other.referee.create_all([new._replace(id=loaded.id) for loaded in loaded_matches])
    assert [loaded.config for loaded in again] == [loaded.config for loaded in loaded_matches]
    group = Group(
        id="g" + new_match_id()[2:],
        kind=GroupKind.ROTATED,
        game="durak",
        options={},
        bots=SEATS,
        tables=((0, 1), (1, 0)),
        entropy=(None, None),
        clock=ClockRule(),
        dealer=None,
        secret=b"s" * 32,
        created=league.clock.ms,
        since=since,
    )
    other.groups.create(group)
    batch = MatchBatch(new_match_id(), (new._replace(id=new_match_id()), new._replace(id=new_match_id())))
    other.batches.create(batch, [[None, None]] * 2, "somebody")
    other.run(20)
    assert [
        match.finished for match in other.referee.look_at([loaded.id for loaded in loaded_matches]) if match
    ] == [True] * 100
    assert other.group_store.statuses([group.id]) == [GroupStatus.OVER]


def test_an_archived_match_is_found_whenever_its_id_may_be_in_the_archive(league: OutageLeague) -> None:
    before = league.store.recorded()
    assert before is not None
    new = NewMatch("durak", SEATS, {}, 1, id=new_match_id(), since=before)
    league.referee.create_all([new])
    league.run(20)
    league.later()
    while league.moved(1000):
        pass
    other = league.fresh()
    assert [loaded.archived for loaded in other.referee.create_all([new])] == [True]
    assert [loaded and loaded.archived for loaded in other.referee.look_at([new.id or ""], before)] == [True]
