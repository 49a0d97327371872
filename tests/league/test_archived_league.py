"""A league whose matches are archived answers as one whose matches are not, and leaves nothing of them in Redis."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from league.ladders.redis_archive import ArchivedLadders
from league.ratings.redis_archive import ArchivedRatings
from records.ids import buckets
from records.match.session import Status
from records.match.views import match_summary
from redisio.connection import Redis
from referee.archive.archiver import Archiver
from referee.archive.objects import ObjectStore
from referee.archive.redis import RedisRegister
from referee.object_store import ArchiveAway
from referee.proofs.proof import SigningKey
from referee.storage.index import MatchFilter, MatchPage
from tests.league.test_rounds import recomputed
from tests.support.kills import killed_at, sweep
from tests.support.league import LeagueWorld, WallClock
from tests.support.sums import kept

HOT_MS = 1000
DAY_MS = 86_400_000
BOTS = ("a1", "a2", "a3")
KINDS = {b"string": "STRLEN", b"hash": "HLEN", b"zset": "ZCARD", b"list": "LLEN", b"set": "SCARD"}


class ArchivedLeague(LeagueWorld):
    """A league with an archive in a folder."""

    def __init__(self, redis: Redis, clock: WallClock, folder: Path) -> None:
        super().__init__(redis, clock)
        self.folder = folder
        self.options = replace(
            self.options,
            archive=lambda: ObjectStore(folder),
            signing_key=lambda: SigningKey(b"k" * 32),
            store_now=clock,
        )

    def fresh(self) -> ArchivedLeague:
        """Return another process of this league."""
        return ArchivedLeague(self.redis, self.clock, self.folder)

    def required_archiver(self) -> Archiver:
        assert self.archiver is not None
        return self.archiver

    def moved(self, most: int) -> int:
        """Archive a segment of at most `most` matches, and what else is old."""
        assert self.objects is not None
        assert self.archive_index is not None
        archiver = Archiver(
            RedisRegister(self.redis),
            self.objects,
            self.archive_index,
            self.store,
            self.chain,
            self.clock,
            leftovers=self.leftovers(),
            most=most,
        )
        moved = archiver.run(HOT_MS, partial=True)
        self.leave_redis(self.clock.ms - HOT_MS, lambda: True, partial=True)
        while self.archive_index.compact():
            pass
        return moved

    def later(self) -> None:
        """Let the wall clock pass all matches, which end by the clock of Redis, and two days more."""
        ends = [match.progress.ended or 0 for match in self.matches()]
        self.clock.ms = max(self.clock.ms, *ends) + 2 * DAY_MS

    def rated(self) -> None:
        for preset in self.ratings.presets():
            while self.ratings.catch_up(preset):
                pass

    def play(self, ladder: str) -> None:
        """Play a round and rate it."""
        number = self.rounds.start(ladder).number
        self.finish(ladder, number)
        self.run(3)
        self.rated()


@pytest.fixture
def league(redis: Redis, clock: WallClock, tmp_path: Path) -> ArchivedLeague:
    return ArchivedLeague(redis, clock, tmp_path / "archive")


def pages(league: LeagueWorld, listed: Any, wanted: MatchFilter, most: int) -> list[Any]:
    """Return all pages of a list, with their cursors and with the rows that readers see."""
    found, cursor = [], None
    while True:
        page: MatchPage = listed(wanted, cursor, most)
        rows = league.referee.look_at(page.ids, known=page.archived)
        found.append((page.ids, page.cursor, [match_summary(row) for row in rows if row is not None]))
        if page.cursor is None:
            return found
        cursor = page.cursor


def filters(league: LeagueWorld, ladders: list[str], ends: list[int]) -> Iterator[MatchFilter]:
    bots = [None, league.accounts.bot("house", "a1").id]
    middle = sorted(ends)[len(ends) // 2]
    for ladder, bot, game in product([None, *ladders], bots, [None, "durak", "kryt"]):
        yield MatchFilter(game=game, bot=bot, ladder=ladder)
        yield MatchFilter(game=game, bot=bot, ladder=ladder, since=middle)
        yield MatchFilter(game=game, bot=bot, ladder=ladder, until=middle, status=Status.FINISHED)
    for result, void in product([None, "rules", "void"], [None, True, False]):
        yield MatchFilter(result=result, void=void)
        yield MatchFilter(ladder=ladders[0], result=result, void=void, since=middle, until=max(ends) + 1)


def answers(league: ArchivedLeague, ladders: list[str], ids: list[str], ends: list[int]) -> dict[str, Any]:
    """Return everything that a new process answers about these ladders and matches."""
    other = league.fresh()
    found: dict[str, Any] = {}
    for wanted in filters(other, ladders, ends):
        found[f"matches {wanted}"] = pages(other, other.index.matches, wanted, 7)
        found[f"ended {wanted}"] = pages(other, other.index.ended, wanted, 5)
    loaded_matches = [loaded for loaded in other.referee.look_at(ids) if loaded is not None]
    records = [record.to_json() for record in other.referee.records(loaded_matches)]
    found["records"] = other.proofs.proven(records)
    found["chain"] = other.chain.head()
    found["known"] = sorted(other.index.known())
    groups = sorted({loaded.config.group.id for loaded in loaded_matches if loaded.config.group is not None})
    found["groups"] = [other.group_store.groups(groups), other.group_store.progress(groups)]
    bots = [other.accounts.bot("house", bot).id for bot in BOTS]
    for ladder in ladders:
        found[f"totals {ladder}"] = kept(other, ladder)
        found[f"standings {ladder}"] = other.ladders.standings(ladder)
        found[f"rounds {ladder}"] = other.ladders.rounds(ladder, None, 50)
    for preset in other.ratings.presets():
        found[f"ratings {preset}"] = other.ratings.page(preset)
        for bot in bots:
            found[f"history {preset} {bot}"] = [
                other.ratings.history(preset, bot, None, 3),
                other.ratings.history(preset, bot, None, 500),
                other.ratings.versions(preset, bot),
                [other.ratings.head_to_head(preset, bot, each) for each in bots],
            ]
    return found


def ladders_of(league: ArchivedLeague) -> list[str]:
    """Create ladders of three kinds."""
    return [
        league.ladder(*BOTS, decks="rotated", rated=True).id,
        league.ladder(*BOTS, decks="independent").id,
        league.ladder(*BOTS, decks="once_only", game="kryt").id,
    ]


CLOCK_FIELDS = ("beat", "credited", "decision", "held", "floor", "archived")
"""The fields that the clock of a bucket may have."""


def census(redis: Redis) -> Counter[str]:
    """Count the elements of all keys, by key without ids and numbers."""
    found: Counter[str] = Counter()
    for key in redis.one("KEYS", "*"):
        name = re.sub(r"\{\d\d\}|:[0-9a-z]{28}$|(?<=:)\d+(?=:|$)|(?<=group:)\w+|house-a\d", "#", key.decode())
        kind = KINDS[redis.one("TYPE", key)]
        found[name] += 1 if kind == "STRLEN" else redis.one(kind, key)
    return found


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(2))
def test_every_answer_is_the_same_on_both_sides_of_every_boundary(league: ArchivedLeague, seed: int) -> None:
    rng, ladders = Random(seed), ladders_of(league)
    for _ in range(2):
        for ladder in ladders:
            league.play(ladder)
            league.clock.ms += 5_000
    loaded_matches = list(league.matches())
    ids, ends = (
        [loaded.id for loaded in loaded_matches],
        [loaded.progress.ended or 0 for loaded in loaded_matches],
    )
    league.referee.void(rng.choice(ids), "a mistake")
    league.run(3)
    league.rated()
    before = answers(league, ladders, ids, ends)
    league.later()
    while league.moved(rng.choice((1, 5, 9, 20))):
        if rng.random() < 0.3:
            now = answers(league, ladders, ids, ends)
            assert [name for name in before if now[name] != before[name]] == []
    assert league.redis.one("KEYS", "kozyr:*:finished:*") == []
    now = answers(league, ladders, ids, ends)
    assert [name for name in before if now[name] != before[name]] == []
    for path in league.folder.rglob("index/*"):
        path.unlink()
    with pytest.raises(ArchiveAway):
        answers(league, ladders, ids, ends)
    assert league.fresh().required_archiver().rebuild() == []
    now = answers(league, ladders, ids, ends)
    assert [name for name in before if now[name] != before[name]] == [], "the rebuilt index answers as before"


def test_redis_keeps_nothing_of_archived_matches_however_many_are_played(league: ArchivedLeague) -> None:
    ladders, counts = ladders_of(league), []
    for rounds in (1, 1, 3):
        for _ in range(rounds):
            for ladder in ladders:
                league.play(ladder)
        league.later()
        while league.moved(10_000):
            pass
        counts.append(census(league.redis))
    grown = {name: (counts[1][name], count) for name, count in counts[2].items() if count != counts[1][name]}
    # A bucket counts the removals of its matches in one field, from the first removal on.
    assert set(grown) <= {"kozyr:{chain}:segments", "kozyr:{chain}:journal", "kozyr:#:clock"}
    assert counts[2]["kozyr:#:clock"] <= len(CLOCK_FIELDS) * len(buckets())


def test_an_archived_match_that_becomes_void_is_taken_back_everywhere(league: ArchivedLeague) -> None:
    ladders = ladders_of(league)
    for ladder in ladders:
        league.play(ladder)
        league.play(ladder)
    loaded_matches = list(league.matches())
    league.later()
    while league.moved(10):
        pass
    gone = [next(loaded for loaded in loaded_matches if loaded.config.ladder == ladder) for ladder in ladders]
    for _ in range(2):
        for loaded in gone:
            league.referee.void(loaded.id, "a mistake")
            league.run(3)
    league.rated()
    # A void match spoils its rotated group; of a once-only group the others still count.
    spoilt = {loaded.id for loaded in gone} | {
        loaded.id for loaded in loaded_matches if loaded.config.group_id == gone[0].config.group_id
    }
    for ladder in ladders:
        stay = [loaded for loaded in loaded_matches if loaded.id not in spoilt]
        assert kept(league, ladder) == recomputed(league, ladder, stay)
        aborted = sum(loaded.config.ladder == ladder for loaded in loaded_matches if loaded.id in spoilt)
        assert sum(each.aborted for each in league.ladders.rounds(ladder, None, 9)[0]) == aborted
    while league.moved(10):
        pass
    assert [
        loaded.void for loaded in league.fresh().referee.look_at([loaded.id for loaded in gone]) if loaded
    ] == [True] * len(gone)


def test_an_archived_once_only_group_whose_matches_become_void_one_by_one_counts_nothing(
    league: ArchivedLeague,
) -> None:
    ladder = league.ladder(*BOTS, decks="once_only", game="kryt").id
    league.play(ladder)
    matches = [loaded.id for loaded in league.matches()]
    league.later()
    while league.moved(10):
        pass
    before = [loaded for loaded in league.referee.look_at(matches) if loaded is not None]
    for match in matches:
        league.referee.void(match, "a mistake")
        league.run(3)
        league.fresh().feed(before)  # a process that does not know it
    assert kept(league, ladder) == recomputed(league, ladder, [])


MOVES = [
    *((ArchivedRatings, "archive", trip) for trip in range(7, 12)),
    *((ArchivedLadders, "archive_rounds", trip) for trip in range(5, 10)),
]
"""What moves ratings and rounds, and its round trips from the look at the manifest on."""


@pytest.mark.parametrize("move", sweep(MOVES))
def test_ratings_and_rounds_survive_an_archiver_killed_at_any_write(
    league: ArchivedLeague, move: tuple[type, str, int]
) -> None:
    where, method, trip = move
    ladder = league.ladder(*BOTS, decks="rotated", rated=True).id
    for _ in range(2):
        league.play(ladder)
        league.clock.ms += 5_000
    loaded_matches = list(league.matches())
    ids, ends = (
        [loaded.id for loaded in loaded_matches],
        [loaded.progress.ended or 0 for loaded in loaded_matches],
    )
    before = answers(league, [ladder], ids, ends)
    league.later()
    with killed_at(trip, before=False, first=(where, method)):
        while league.moved(100):
            pass
    now = answers(league, [ladder], ids, ends)
    assert [name for name in before if now[name] != before[name]] == []
    while league.moved(100):
        pass
    league.moved(100)
    now = answers(league, [ladder], ids, ends)
    assert [name for name in before if now[name] != before[name]] == []
    left = [key.decode() for key in league.redis.one("KEYS", "*")]
    assert [key for key in left if re.search(r":(round|made|reruns):|:(log|outcomes|after)$", key)] == []
