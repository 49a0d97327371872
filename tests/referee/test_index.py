"""The index: fed in any order, more than once, and read page by page."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import pytest

from records.ids import buckets
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.session import Status
from redisio.connection import Redis
from referee.archive.redis import RedisRegister
from referee.errors import BadCursor
from referee.storage.archived import ListedPlace
from referee.storage.index import ListedMatch, MatchFilter, facets
from referee.storage.redis_index import PERSON_KEPT_MS, RedisMatchIndex, list_key
from tests.referee.world import T0, ManualClock, World, house, remote


@pytest.fixture
def quiet(any_redis: Redis) -> World:
    """Return a world whose index only the test feeds."""
    ManualClock(any_redis)
    return World(any_redis, feeds=False)


def life(world: World) -> tuple[str, list[LoadedMatch]]:
    """Return a match in four states: open, waiting, running and over."""
    match = world.match([remote(0), None, house("first")], present=False)
    stood = [world.look(match), world.referee.join(match, remote(1))]
    world.referee.show_up(match, "bot-0")
    stood.append(world.referee.show_up(match, "bot-1"))
    world.referee.resign(match, "bot-0")
    stood.append(world.referee.resign(match, "bot-1"))
    assert [loaded.progress.status for loaded in stood] == list(Status)
    return match, stood


def all_pages(world: World, wanted: MatchFilter, most: int, ended: bool = False) -> list[str]:
    found: list[str] = []
    cursor = None
    for _ in range(1_000):
        page = (world.index.ended if ended else world.index.matches)(wanted, cursor, most)
        assert len(page.ids) <= most
        found += page.ids
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the pages have no end")


def test_nothing_of_a_person_is_kept_for_ever(quiet: World) -> None:
    """Every visitor who plays without signing in is another person."""
    person = remote(0)._replace(person=True)
    loaded = quiet.look(quiet.match([person, house("first")]))
    over = quiet.referee.resign(loaded.id, person.id)
    for each in (loaded, over):
        quiet.index.feed([ListedMatch(each.config, each.progress)])
    keys = quiet.plain.keys("kozyr:{bot:*")
    assert keys
    assert all(0 < quiet.plain.pttl(key) <= PERSON_KEPT_MS for key in keys)  # type: ignore[operator,union-attr]


def test_feeding_in_any_order_and_number_gives_the_same_lists(quiet: World) -> None:
    match, stood = life(quiet)
    orders = [*permutations(stood), [*stood, *stood], [*stood, *reversed(stood)]]
    for order in orders:
        for key in [key for key in quiet.plain.keys("kozyr:*") if b"bot:" in key or b"matches" in key]:  # type: ignore[union-attr]  # redis-py's types have its async answers in them
            quiet.plain.delete(key)
        for loaded in order:
            quiet.index.feed([ListedMatch(loaded.config, loaded.progress)])
        for wanted in (
            MatchFilter(),
            MatchFilter(bot="bot-0"),
            MatchFilter(bot="house/first"),
            MatchFilter(game="durak"),
            MatchFilter(status=Status.FINISHED),
            MatchFilter(result="resigned"),
        ):
            assert all_pages(quiet, wanted, 10) == [match]
            assert all_pages(quiet, wanted, 1) == [match]
            assert all_pages(quiet, wanted, 10, ended=True) == [match]
        assert all_pages(quiet, MatchFilter(status=Status.RUNNING), 10) == []
        mine = quiet.index.mine("bot-0", None, 10)
        assert mine.finished == [(1, match)]
        assert mine.active == []


def ended(quiet: World, match: str) -> None:
    """End a match by the bot's resignation and feed it to the index."""
    loaded = quiet.referee.resign(match, "bot-0")
    quiet.index.feed([ListedMatch(loaded.config, loaded.progress)])


def begun(quiet: World) -> str:
    """Return a new match of the bot, which the index knows."""
    match = quiet.match([remote(0), None], present=False)
    loaded = quiet.look(match)
    quiet.index.feed([ListedMatch(loaded.config, loaded.progress)])
    return match


def test_all_ends_of_simultaneous_matches_are_kept(quiet: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.storage.redis_index.LEAST_KEPT", 3)
    matches = [begun(quiet) for _ in range(40)]
    for match in matches:
        ended(quiet, match)
    assert quiet.index.mine("bot-0", 0, 100).finished == list(enumerate(matches, 1))
    for _ in range(16 * 40):
        ended(quiet, begun(quiet))
    assert len(quiet.index.mine("bot-0", 0, 100).finished) == 4, "now it plays one match at a time"


@pytest.fixture
def crowd(quiet: World) -> dict[str, LoadedMatch]:
    """Create thirty matches of many kinds, most of them at the same few instants."""
    clock, rng = ManualClock(quiet.redis), Random(5)
    found = {}
    for nth in range(30):
        clock.set(T0 + nth // 12 * 1_000)
        match = quiet.match(
            [remote(nth % 3), remote(3 + nth % 2)],
            ladder=("one", "two", None)[nth % 3],
            present=nth % 4 != 0,
            clock=ClockRule(60_000),
        )
        if rng.random() < 0.6:
            clock.set(T0 + 10_000 + nth // 15 * 1_000)
            quiet.referee.resign(match, f"bot-{nth % 3}")
        loaded = quiet.look(match)
        quiet.index.feed([ListedMatch(loaded.config, loaded.progress)])
        found[match] = loaded
    clock.set(T0 + 20_000)
    return found


def test_pages_of_any_size_have_no_gaps_or_duplicates(quiet: World, crowd: dict[str, LoadedMatch]) -> None:
    order = all_pages(quiet, MatchFilter(), 1_000)
    assert sorted(order) == sorted(crowd)
    done = [crowd[match].finished for match in order]
    assert done == sorted(done), "active matches come first"
    loaded = [crowd[match].config.created for match in order if not crowd[match].finished]
    over = [crowd[match].progress.ended or 0 for match in order if crowd[match].finished]
    assert loaded == sorted(loaded, reverse=True)
    assert over == sorted(over, reverse=True)
    for most in (1, 2, 3, 7, 30):
        assert all_pages(quiet, MatchFilter(), most) == order
    oldest = all_pages(quiet, MatchFilter(), 1_000, ended=True)
    assert oldest == sorted(
        (match for match in crowd if crowd[match].finished),
        key=lambda match: (crowd[match].progress.ended, match),
    )
    for most in (1, 2, 5):
        assert all_pages(quiet, MatchFilter(), most, ended=True) == oldest


def _instant(loaded: LoadedMatch) -> int:
    return (loaded.progress.ended or 0) if loaded.finished else loaded.config.created


@pytest.mark.parametrize(
    "wanted",
    [
        MatchFilter(game="durak"),
        MatchFilter(bot="bot-1"),
        MatchFilter(bot="bot-1", opponent="bot-2"),
        MatchFilter(opponent="bot-1", status=Status.FINISHED),
        MatchFilter(ladder="two"),
        MatchFilter(status=Status.WAITING),
        MatchFilter(status=Status.FINISHED),
        MatchFilter(result="resigned"),
        MatchFilter(since=T0 + 1_000, until=T0 + 10_000),
        MatchFilter(since=T0 + 5, until=T0),
        MatchFilter(bot="bot-2", ladder="one", result="resigned"),
        MatchFilter(bot="bot-0", ladder="one", status=Status.RUNNING, since=T0, until=T0 + 2_000),
        MatchFilter(status=Status.RUNNING, result="resigned"),
    ],
)
def test_a_filter_omits_exactly_what_does_not_match(
    quiet: World, crowd: dict[str, LoadedMatch], wanted: MatchFilter
) -> None:
    expected = {
        match
        for match, loaded in crowd.items()
        if wanted.game in (None, loaded.config.game)
        and (wanted.bot is None or loaded.config.seat_of(wanted.bot) is not None)
        and (wanted.opponent is None or loaded.config.seat_of(wanted.opponent) is not None)
        and wanted.ladder in (None, loaded.config.ladder)
        and wanted.status in (None, loaded.progress.status)
        and wanted.result in (None, loaded.progress.ending)
        and (wanted.since is None or _instant(loaded) >= wanted.since)
        and (wanted.until is None or _instant(loaded) <= wanted.until)
    }
    for most in (2, 1_000):
        found = all_pages(quiet, wanted, most)
        assert len(found) == len(set(found))
        assert set(found) == expected
    over = all_pages(quiet, wanted, 4, ended=True)
    assert len(over) == len(set(over))
    assert set(over) == {match for match in expected if crowd[match].finished}


def test_more_equal_instants_than_one_read_takes_are_paged_too(quiet: World) -> None:
    names = []
    loaded = quiet.look(quiet.match(2))
    for nth in range(230):
        ident = buckets()[nth % len(buckets())] + f"{nth:026d}".translate(str.maketrans("01", "xy"))
        made = quiet.referee.create("durak", [remote(0), None], {}, match_id=ident, secret=loaded.secret)
        quiet.index.feed([ListedMatch(made.config, made.progress)])
        names.append(ident)
    wanted = MatchFilter(status=Status.OPEN)
    assert all_pages(quiet, wanted, 50) == sorted(names, reverse=True)


def test_new_matches_do_not_disturb_paging(quiet: World, crowd: dict[str, LoadedMatch]) -> None:
    first = quiet.index.matches(MatchFilter(), None, 5)
    loaded = quiet.look(quiet.match(2))
    quiet.index.feed([ListedMatch(loaded.config, loaded.progress)])
    rest: list[str] = []
    cursor = first.cursor
    while cursor is not None:
        page = quiet.index.matches(MatchFilter(), cursor, 5)
        rest += page.ids
        cursor = page.cursor
    assert sorted([*first.ids, *rest]) == sorted(crowd)


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "ё",
        "a" * 10_000,
        encoded(""),
        encoded("live 1"),
        encoded("live x y"),
        encoded("live inf y"),
        encoded("dead 1 y"),
        encoded("live 1 y z"),
        encoded("live 1 y")[:-1] + "!",
    ],
)
def test_a_forged_list_cursor_is_refused(quiet: World, cursor: str) -> None:
    with pytest.raises(BadCursor):
        quiet.index.matches(MatchFilter(), cursor, 10)


class EmptyArchive:
    """An archive that lists nothing."""

    def listed(self, *_: object, **__: object) -> Iterator[ListedPlace]:
        return iter(())


def test_a_match_that_is_archived_while_it_is_fed_is_not_listed_in_redis_again(quiet: World) -> None:
    archive: Any = EmptyArchive()
    index = RedisMatchIndex(quiet.redis, quiet.referee.store, archive)
    _, stood = life(quiet)
    last = stood[-1]
    index.feed([ListedMatch(last.config, last.progress)])
    assert index.matches(MatchFilter(), None, 10).ids == [last.id]
    RedisRegister(quiet.redis).remove([last.config])
    for loaded in stood:
        index.feed([ListedMatch(loaded.config, loaded.progress)])
        lists = [list_key(facet, part) for facet in facets(loaded.config) for part in ("live", "ended")]
        assert quiet.redis.run([("EXISTS", key) for key in lists]) == [0] * len(lists)
