"""The rating book, on both kinds of Redis: it equals the recomputation from records in any order of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

from league.ratings import book as rating_book
from league.ratings import redis as rating_redis
from league.ratings.book import RatingBook
from league.ratings.redis import RedisRatingStore
from league.ratings.redis_archive import ArchivedPosition, ArchivedRatings
from records.ratings import fit
from records.ratings.fit import Results
from records.ratings.model import Rating, preset_id
from records.ratings.recompute import Recomputation
from records.results.group_result import PlayedMatch, group_result_of, played_of, played_of_record
from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.archive_index.index import ArchiveIndex
from referee.archive_index.manifest import Manifest
from tests.referee.world import at_once
from tests.support.kills import Killed
from tests.support.league import LeagueWorld
from tests.support.played import played, season, take


@pytest.fixture
def book(redis: Redis) -> RatingBook:
    return RatingBook(RedisRatingStore(redis))


def matches_of(groups: int, seed: int) -> list[PlayedMatch]:
    return [match for record in season(groups, seed) if (match := played_of_record(record)) is not None]


def by_group(matches: Iterable[PlayedMatch]) -> list[list[PlayedMatch]]:
    ordered = sorted(matches, key=lambda match: match.group)
    return [list(group) for _, group in groupby(ordered, key=lambda match: match.group)]


def recounted(matches: Iterable[PlayedMatch]) -> dict[str, dict[str, Rating]]:
    with Recomputation() as recount:
        for match in matches:
            recount.add(match)
        return {
            preset: dict(Results(recount.outcomes(preset)).fitted().ratings) for preset in recount.presets()
        }


def feed(book: RatingBook, group: list[PlayedMatch]) -> None:
    take(book, group)
    book.catch_up(group[0].preset)


def kept(book: RatingBook) -> dict[str, dict[str, Rating]]:
    return {
        preset: {rated.bot: rated.rating for rated in book.page(preset, limit=100)[0]}
        for preset in book.presets()
    }


def test_the_book_equals_the_recomputation_for_any_order_of_groups(book: RatingBook) -> None:
    matches = matches_of(60, 3)
    groups = by_group(matches)
    Random(1).shuffle(groups)
    for group in groups + groups[:10]:
        feed(book, group)
    assert kept(book) == recounted(matches)


def test_a_bot_whose_only_match_of_a_group_is_void_has_not_played_in_it(book: RatingBook) -> None:
    company = ["house/greedy", "house/random"]
    once_only = [
        played([bot, *company], [score, 0, 0], ident=bot, group="g", ended=ended)
        for bot, score, ended in (("a/x", 0, 1), ("b/y", -1, 2), ("c/z", 0, 9))
    ]
    earlier = played(["a/x", "b/y", "c/z"], [0, -1, -1], ident="first", ended=0)
    later = played(["c/z", "b/y", "a/x"], [-1, 0, 0], ident="last", ended=20)
    for matches in ([earlier], once_only, [later], once_only[:2]):
        feed(book, matches)
        for preset in book.tick():
            book.catch_up(preset)
    assert kept(book) == recounted([earlier, *once_only[:2], later])
    assert [past.group for past in book.history("durak/3", "c-z")[0]] == ["last", "first"]


def test_a_long_fit_is_repeated_after_twenty_times_it(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000_000]
    book = RatingBook(RedisRatingStore(redis), now_ms=lambda: now[0])
    monkeypatch.setattr(rating_book.Results, "work", 0.5)
    feed(book, [played(["a/x", "b/y"], [0, -1], ident="m1", ended=1)])
    feed(book, [played(["a/x", "b/y"], [0, -1], ident="m2", ended=2)])
    assert kept(book)["durak/2"]["a-x"].groups == 1
    now[0] += 9_999
    assert book.tick() == []
    now[0] += 1
    assert book.tick() == ["durak/2"]
    assert book.catch_up("durak/2")
    assert kept(book)["durak/2"]["a-x"].groups == 2


def test_an_older_fit_does_not_replace_a_newer_one(redis: Redis) -> None:
    fast = RatingBook(RedisRatingStore(redis))
    matches = [played(["a/x", "b/y"], [0, -1], ident=f"m{number}", ended=number) for number in range(2)]

    def meanwhile(*_: object) -> None:
        if slow_report:
            slow_report.clear()
            feed(fast, [matches[1]])

    slow_report = [True]
    slow = RatingBook(RedisRatingStore(redis), report=meanwhile)
    feed(slow, [matches[0]])
    assert kept(fast) == recounted(matches)
    assert fast.tick() == []


def test_a_group_voided_later_leaves_no_trace_in_ratings(book: RatingBook) -> None:
    matches = [match for match in matches_of(40, 12) if match.group == match.id]
    matches.append(played(["n/ew", "a/one"], [0, -1], ident="new", ended=500))
    for match in matches:
        feed(book, [match])
    for gone in (matches[-1], *matches[1:6]):
        matches.remove(gone)
        assert book.take_back(gone.preset, gone.group)
        assert not book.take_back(gone.preset, gone.group)
    for preset in book.tick():
        book.catch_up(preset)
    assert kept(book) == recounted(matches)
    assert "n-ew" not in kept(book)["durak/2"]
    assert book.history("durak/2", "n-ew") == ([], None)


def test_a_group_that_becomes_incomplete_is_taken_back(book: RatingBook) -> None:
    bots = ["a/x", "b/y"]
    both = [played(bots[n:] + bots[:n], [0, -1], ident=f"m{n}", group="g") for n in range(2)]
    take(book, both)
    take(book, both[:1])
    book.catch_up("durak/2")
    assert book.tick() == []
    assert not any(kept(book).values())


def test_concurrent_workers_reach_the_same_ratings(redis: Redis) -> None:
    matches = matches_of(40, 8)
    groups = by_group(matches)
    Random(2).shuffle(groups)
    books = [RatingBook(RedisRatingStore(redis)) for _ in range(4)]

    def feed_part(number: int) -> None:
        for group in groups[number::4]:
            feed(books[number], group)

    assert at_once(*[partial(feed_part, number) for number in range(4)]) == [None] * 4
    assert kept(books[0]) == recounted(matches)


def test_the_next_tick_finds_unrated_groups(redis: Redis) -> None:
    woken: list[str] = []
    book = RatingBook(RedisRatingStore(redis), woken.append)
    matches = matches_of(30, 4)
    for group in by_group(matches):
        take(book, group)
    assert not any(kept(book).values())
    assert book.tick() == book.presets() == ["durak/2", "durak/3"] == woken
    for preset in book.presets():
        book.catch_up(preset)
    assert book.tick() == []
    assert kept(book) == recounted(matches)


def test_another_model_causes_a_new_fit(book: RatingBook, monkeypatch: pytest.MonkeyPatch) -> None:
    for group in by_group(matches_of(20, 6)):
        feed(book, group)
    before = kept(book)
    monkeypatch.setattr(rating_redis, "MODEL", "another")
    monkeypatch.setattr(fit, "SIGMA", 100.0)
    assert book.tick() == ["durak/2", "durak/3"]
    for preset in book.tick():
        book.catch_up(preset)
    assert book.tick() == []
    assert kept(book)["durak/2"]["a-one"] != before["durak/2"]["a-one"]


def test_the_difference_of_two_bots_has_its_own_interval(book: RatingBook) -> None:
    matches = matches_of(60, 3)
    for group in by_group(matches):
        feed(book, group)
    with Recomputation() as recount:
        for match in matches:
            recount.add(match)
        fitted = Results(recount.outcomes("durak/2")).fitted()
    apart, low, high = book.difference("durak/2", "a-one", "b-two") or (0, 0, 0)
    assert apart == fitted.ratings["a-one"].mu - fitted.ratings["b-two"].mu
    deviation = fitted.deviation("a-one", "b-two")
    assert deviation is not None
    assert (high - apart, apart - low) == pytest.approx((1.96 * deviation,) * 2)
    assert book.difference("durak/2", "a-one", "nobody") is None


def test_a_finished_match_and_its_record_give_the_same_result(league: LeagueWorld) -> None:
    """Use rotated groups with relabelled suits, and fixed trumps, which relabelling renames."""
    ladder = league.ladder(
        "a1", "a2", "a3", game="kryt", options={"trumps": "fixed"}, decks="rotated", rated=True
    )
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    league.run()
    loaded_matches = list(league.matches())
    assert len(loaded_matches) == 6
    taken = [played_of(loaded) for loaded in loaded_matches]
    assert taken == [played_of_record(league.referee.record(loaded).to_json()) for loaded in loaded_matches]
    found = [match for match in taken if match is not None]
    assert {match.preset for match in found} == {"kryt/2/trumps=fixed"}
    assert all(group_result_of(group) is not None for group in by_group(found))
    assert len(by_group(found)) == 3


@pytest.fixture
def index(redis: Redis, tmp_path: Path) -> ArchiveIndex:
    return ArchiveIndex(Manifest(redis), ObjectStore(tmp_path / "archive"))


class ArchivingBook(RatingBook):
    """A book whose groups move to the archive after each one that is fed."""

    def __init__(self, redis: Redis, index: ArchiveIndex) -> None:
        self.stored = RedisRatingStore(redis, index)
        super().__init__(self.stored)

    def move(self, until: int = 10**14) -> int:
        return self.stored.archive(until, partial=True)


def read(book: RatingBook, bots: Sequence[str]) -> object:
    """Return everything that the book answers about these bots, page by page."""
    answers: list[object] = [kept(book)]
    for preset in book.presets():
        for bot in bots:
            place, rows = None, list[object]()
            while True:
                page, place = book.history(preset, bot, place, 3)
                rows += page
                if place is None:
                    break
            answers += [rows, book.versions(preset, bot)]
            answers += [book.head_to_head(preset, bot, other) for other in bots]
    return answers


@pytest.mark.parametrize("seed", range(4))
def test_a_book_whose_groups_are_archived_answers_as_one_whose_groups_are_not(
    redis: Redis, index: ArchiveIndex, seed: int
) -> None:
    rng, matches = Random(seed), matches_of(50, seed)
    groups = by_group(matches)
    groups.sort(key=lambda group: group[-1].ended + rng.choice((0, 0, 0, 10**9)))
    book = ArchivingBook(redis, index)
    moved, void = 0, list[PlayedMatch]()
    for number, group in enumerate(groups):
        feed(book, group)
        if rng.random() < 0.2:
            gone = rng.choice(groups[: number + 1])
            if book.take_back(gone[0].preset, gone[0].group):
                void += gone
        if rng.random() < 0.3:
            for preset in book.presets():
                while book.catch_up(preset):
                    pass
            moved += book.move(group[-1].ended + rng.choice((-1000, 0, 1000)))
        if rng.random() < 0.2:
            feed(book, group) if group[0] not in void else None
    assert moved > 0
    left = [match for match in matches if match not in void]
    for preset in book.presets():
        while book.catch_up(preset):
            pass
    assert kept(book) == recounted(left)
    redis.one("FLUSHALL")
    plain = RatingBook(RedisRatingStore(redis))
    bots = sorted({player.id for match in matches for player in match.seats})[:4]
    archived_answers = None
    in_time = sorted(by_group(left), key=lambda group: max(match.ended for match in group))
    for group in in_time:
        feed(plain, group)
    expected = read(plain, bots)
    redis.one("FLUSHALL")
    again = ArchivingBook(redis, index)
    for group in in_time:
        feed(again, group)
        again.move(max(match.ended for match in group))  # a late group leaves no rating in the history
    while again.move():
        pass
    archived_answers = read(again, bots)
    assert archived_answers == expected
    presets = again.presets()
    assert again.tick() == []
    assert all(redis.one("ZCARD", f"kozyr:{{ratings:{preset_id(preset)}}}:log") == 0 for preset in presets)


def test_a_group_that_is_archived_while_it_is_taken_back_does_not_count(
    redis: Redis, index: ArchiveIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = matches_of(20, 3)
    book, other = ArchivingBook(redis, index), ArchivingBook(redis, index)
    for group in by_group(matches):
        feed(book, group)
    void = by_group(matches)[-1]

    class StallingReads:
        def __getattr__(self, name: str) -> Any:
            return getattr(redis, name)

        def one(self, *command: Any) -> Any:
            answer = redis.one(*command)
            while command[0] == "HGET" and other.move():
                pass
            return answer

    monkeypatch.setattr(book.stored, "_redis", StallingReads())
    assert book.take_back(void[0].preset, void[0].group)
    monkeypatch.undo()
    for preset in book.presets():
        while book.catch_up(preset):
            pass
    assert kept(book) == recounted([match for match in matches if match not in void])


def test_two_processes_archive_groups_at_the_same_time(
    redis: Redis, index: ArchiveIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = matches_of(10, 3)
    book, other = ArchivingBook(redis, index), ArchivingBook(redis, index)
    for group in by_group(matches):
        feed(book, group)
    position = ArchivedRatings.position

    def overtaken(archive: ArchivedRatings, preset: str) -> ArchivedPosition:
        read = position(archive, preset)
        monkeypatch.undo()
        while other.move():
            pass
        return read

    monkeypatch.setattr(ArchivedRatings, "position", overtaken)
    assert book.stored.archive(10**14, partial=False) == 0
    assert kept(book) == recounted(matches)


class Stalling:
    """Objects, or a manifest, of a process that stalls once before a call of this name, while others work."""

    def __init__(self, target: Any, step: str, meanwhile: Callable[[], None]) -> None:
        self._target, self._step = target, step
        self._meanwhile: Callable[[], None] | None = meanwhile

    @property
    def has_stalled(self) -> bool:
        return self._meanwhile is None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)

        def called(*arguments: Any) -> Any:
            meanwhile = self._meanwhile
            if meanwhile is not None and name == self._step:
                self._meanwhile = None
                meanwhile()
            return found(*arguments)

        return called if callable(found) else found


def caught_up(book: RatingBook) -> object:
    """Rate all groups, and return the ratings."""
    for preset in book.presets():
        book.catch_up(preset)
    return kept(book)


@pytest.mark.parametrize("step", ["create", "replace"])
def test_a_process_that_stalls_while_it_writes_to_the_archive_overrides_nothing(
    redis: Redis, tmp_path: Path, step: str
) -> None:
    groups = [[played(["a/x", "b/y"], [0, -1], ident=f"m{number}", ended=number)] for number in range(1, 9)]
    manifest, objects = Manifest(redis), ObjectStore(tmp_path / "archive")
    fast = ArchivingBook(redis, ArchiveIndex(manifest, objects))
    for group in groups:
        feed(fast, group)

    def meanwhile() -> None:
        fast.take_back("durak/2", "m2")
        fast.catch_up("durak/2")
        while fast.move():
            pass

    stalling = Stalling(manifest if step == "replace" else objects, step, meanwhile)
    parts: Any = (stalling, objects) if step == "replace" else (manifest, stalling)
    slow = ArchivingBook(redis, ArchiveIndex(*parts))
    slow.move()
    assert stalling.has_stalled
    while fast.move():
        pass
    left = [match for group in groups for match in group if match.group != "m2"]
    assert caught_up(fast) == recounted(left)
    assert [past.group for past in fast.history("durak/2", "a-x")[0]] == [
        match.group for match in reversed(left)
    ]


def test_pages_of_any_size_have_no_gaps_or_duplicates(book: RatingBook) -> None:
    for number in range(12):
        # Six pairs of equals.
        feed(book, [played([f"a/x{number}", f"b/y{number}"], [0, 0], ident=f"m{number}", ended=number)])
    feed(book, [played(["a/x3", "b/y7"], [0, -1], ident="m99", ended=99)])
    whole = book.page("durak/2", limit=100)[0]
    assert len(whole) == 24
    assert [one.rating.mu for one in whole] == sorted((one.rating.mu for one in whole), reverse=True)
    for size in (1, 5, 23):
        found, then = book.page("durak/2", limit=size)
        while then is not None:
            more, then = book.page("durak/2", then, size)
            found += more
        assert found == whole


def test_a_long_fit_that_dies_or_goes_on_keeps_other_workers_from_it(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000_000]
    book = RatingBook(RedisRatingStore(redis), now_ms=lambda: now[0])
    monkeypatch.setattr(rating_book.Results, "work", 0.5)
    with monkeypatch.context() as patched:
        patched.setattr(rating_book.Results, "fitted", dies)
        with pytest.raises(Killed):
            feed(book, [played(["a/x", "b/y"], [0, -1], ident="m1", ended=1)])
    assert book.tick() == []
    assert not book.catch_up("durak/2")
    now[0] += 10_000
    assert book.tick() == ["durak/2"]
    assert book.catch_up("durak/2")
    assert kept(book)["durak/2"]["a-x"].groups == 1


def dies(*_: object) -> None:
    raise Killed
