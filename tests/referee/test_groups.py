"""Duplicate groups: the same decks at several tables, hidden until the last match is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from engine.cards import SUITS
from engine.match import deck_text
from engine.registry import GAMES
from records.match import shuffle, views
from records.match.loaded_match import LoadedMatch
from records.match.record import plain_preset_of
from records.match.session import Ending, Status
from redisio.connection import Redis
from referee.errors import GroupRunning
from referee.feed import Feed
from referee.groups.model import Group, GroupKind, GroupStatus
from referee.groups.redis import RedisGroupStore
from referee.storage.index import MatchFilter
from tests.referee.world import CLOCK, SECRET, ManualClock, World, house, remote

EVERYTHING = MatchFilter()


def group(game: str = "durak", count: int = 2, **more: Any) -> Group:
    """Return a group of this many remote bots that rotate through all seats."""
    more.setdefault("bots", tuple(remote(number) for number in range(count)))
    more.setdefault("tables", tuple(tuple((s + t) % count for s in range(count)) for t in range(count)))
    more.setdefault("entropy", (None,) * len(more["bots"]))
    return Group(
        **{
            "id": "group-1",
            "kind": GroupKind.ROTATED,
            "game": game,
            "options": {},
            "clock": CLOCK,
            "dealer": None,
            "secret": SECRET,
            "created": 0,
            **more,
        }
    )


def come(world: World, *bots: int) -> None:
    """Let these bots poll, so that they show up."""
    for number in bots:
        world.poll(f"bot-{number}", 0)


def finish(world: World, match: str) -> None:
    """Play a match to its end, always with the first legal move."""
    while not world.look(match).finished:
        world.act(match)


def created(world: World, wanted_group: Group) -> list[str]:
    return world.groups.matches(world.groups.create(wanted_group))


def listed(world: World, wanted: MatchFilter = EVERYTHING) -> list[str]:
    return world.index.matches(wanted, None, 100).ids


def test_a_bot_that_leaves_plays_the_later_tables_of_a_group_that_has_begun(world: World) -> None:
    (made,) = world.groups.add([group()])
    first, second = world.groups.new([(made, slot) for slot in range(2)])
    world.referee.create_all([first])
    come(world, 0, 1)
    assert world.poll("bot-0", 0, leaving=True)["running"] == 2
    finish(world, first.id or "")
    between = world.poll("bot-0", 0, leaving=True)
    assert between["running"] == 1, "the second table does not exist yet"
    world.referee.create_all([second])
    come(world, 1)
    assert world.poll("bot-0", 0, between["since"], leaving=True)["running"] == 1
    assert world.look(second.id or "").progress.shown == (0, 1)
    finish(world, second.id or "")
    assert world.poll("bot-0", 0, leaving=True)["running"] == 0


def test_a_bot_that_leaves_begins_no_group(world: World) -> None:
    matches = created(world, group(count=3))
    come(world, 1, 2)
    assert world.poll("bot-0", 0, leaving=True)["running"] == 0
    assert all(world.look(match).progress.status is Status.WAITING for match in matches)


@pytest.mark.parametrize("shown", [False, True])
def test_a_match_that_is_created_after_its_group_was_voided_is_never_dealt(world: World, shown: bool) -> None:
    """A process that read the running group before may create its matches later."""
    (made,) = world.groups.add([group(count=3)])
    first, *others = world.groups.new([(made, slot) for slot in range(3)])
    if shown:
        world.referee.create_all([first])
        come(world, 0, 1, 2)
    world.groups.void([made.id])
    for late in world.referee.create_all(others):
        come(world, 0, 1, 2)
        assert world.look(late.id).progress.ending is Ending.ABORTED


@pytest.mark.parametrize("game", GAMES)
def test_every_table_has_the_same_deck_with_relabelled_suits(world: World, game: str) -> None:
    seats = max(GAMES[game].seat_counts)
    found = created(world, group(game, seats, entropy=("мой", *[None] * (seats - 1))))
    come(world, *range(seats))
    decks, seen = set(), set()
    for match in found:
        loaded = world.look(match)
        assert loaded.progress.status is Status.RUNNING
        assert loaded.config.group is not None
        suits = loaded.config.group.suits
        seen.add(suits)
        dealt = loaded.log.splitlines()[0].split(" deal ")[1].split()
        decks.add(" ".join(card[0] + SUITS[suits.index(SUITS.index(card[1]))] for card in dealt))
        assert plain_preset_of(loaded.config.base) == plain_preset_of(GAMES[game].table(seats, {}))
    assert len(decks) == 1
    pack = GAMES[game].table(seats, {}).pack
    assert decks == {
        deck_text(shuffle.deck(SECRET, ("мой", *[None] * (seats - 1)), 1, pack)).removeprefix("deal ")
    }
    assert len(seen) == min(seats, len(GAMES[game].table(seats, {}).suit_symmetries()))
    assert len({world.look(match).progress.dealer for match in found}) == 1
    assert len({shuffle.commitment(SECRET, match) for match in found}) == len(found)


def test_a_group_is_hidden_until_its_last_match_is_over(world: World) -> None:
    first, second = created(world, group())
    come(world, 0, 1)
    assert listed(world) == []
    finish(world, first)
    assert world.readable == []
    assert listed(world) == listed(world, MatchFilter(bot="bot-0")) == []
    assert world.index.ended(EVERYTHING, None, 10).ids == []
    for match in (first, second):
        loaded = world.look(match)
        with pytest.raises(GroupRunning):
            world.referee.record(loaded)
        for nobody in (None, "bot-7"):
            with pytest.raises(GroupRunning):
                world.turns.events(match, nobody, 0, 0, 10)
    finish(world, second)
    assert world.readable == [[first, second]]
    assert set(listed(world)) == {first, second}
    records = [world.referee.record(world.look(match)).to_json() for match in (first, second)]
    assert {record["group"] for record in records} == {"group-1"}
    assert world.turns.events(first, None, 0, 0, 10)["events"]


def test_a_seat_sees_its_own_match_without_other_bots_names(world: World) -> None:
    first, *_ = created(world, group("durak", 3, bots=(remote(0), house(), remote(1))))
    come(world, 0, 1)
    loaded = world.look(first)
    assert world.referee.is_masked(loaded)
    seen = views.match_view(loaded, 0, masked=True)["seats"]
    assert [seat["bot"] for seat in seen] == ["owner0/bot", "house/first", None]
    assert world.turns.events(first, "bot-0", 0, 0, 100)["events"]
    assert "group" not in views.match_view(loaded, 0, masked=True)


def test_a_no_show_before_the_first_deal_aborts_the_whole_group(world: World, clock: ManualClock) -> None:
    found = created(world, group())
    come(world, 0)
    clock.advance(world.times.start_ms + 1_000)
    world.referee.apply_timeouts(found[0])
    assert [world.look(match).progress.ending for match in found] == [Ending.ABORTED] * 2
    come(world, 0, 1)
    assert world.groups.store.progress(["group-1"])[0].status is GroupStatus.ABORTED
    assert set(world.readable[-1]) == set(found)


def test_after_the_first_deal_a_no_show_is_a_forfeit(world: World, clock: ManualClock) -> None:
    three = (remote(0), remote(1), remote(2))
    first, second = created(world, group(bots=three, tables=((0, 1), (2, 0))))
    come(world, 0, 1)
    assert world.look(first).progress.status is Status.RUNNING
    clock.advance(world.times.start_ms + 1_000)
    loaded = world.referee.apply_timeouts(second)
    assert loaded is not None
    assert (loaded.progress.ending, loaded.progress.forfeits, loaded.progress.scores) == (
        Ending.FORFEIT,
        (0,),
        (-1, 0),
    )
    assert loaded.progress.started is not None


def test_resigning_before_the_start_forfeits_once_the_deck_was_seen(world: World) -> None:
    three = tuple(remote(number) for number in range(3))
    first, second = created(world, group(bots=three, tables=((0, 1), (2, 0))))
    come(world, 1)
    world.referee.show_up(first, "bot-0")
    assert world.look(first).progress.status is Status.RUNNING
    loaded = world.referee.resign(second, "bot-2")
    assert (loaded.progress.ending, loaded.progress.forfeits, loaded.progress.scores) == (
        Ending.RESIGNED,
        (0,),
        (-1, 0),
    )


def test_resigning_before_any_deal_aborts_the_group(world: World) -> None:
    found = created(world, group())
    world.referee.resign(found[0], "bot-1")
    assert [world.look(match).progress.ending for match in found] == [Ending.ABORTED] * 2


def test_a_group_that_can_not_be_completed_does_not_stop_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = group()._replace(id="g-broken"), group()._replace(id="g-other")
    world.groups.add([broken, other])
    for place, each in enumerate((broken, other)):
        world.groups.store.looked(each.id, place)
    complete = world.groups._complete

    def refuses(found: Group) -> None:
        if found.id == broken.id:
            raise KeyError("a game that this release does not have")
        complete(found)

    monkeypatch.setattr(world.groups, "_complete", refuses)
    with pytest.raises(KeyError):
        world.groups.tick()
    assert all(world.look(match) for match in world.groups.matches(other))
    assert world.groups.tick() == 0, "it is checked again later"


def test_an_interrupted_group_is_completed_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted_group = group()
    (made,) = world.groups.add([wanted_group])
    world.groups.store.looked(wanted_group.id, 0)
    world.referee.create_all(world.groups.new([(made, 0)]))
    assert world.groups.tick(after_ms=0) == 1
    again = world.groups.create(wanted_group._replace(secret=bytes(32)))
    assert again.secret == SECRET
    for match in world.groups.matches(again):
        assert world.look(match).progress.status is Status.WAITING
    assert world.groups.tick(after_ms=0) == 0


def test_a_match_fed_twice_counts_once_for_its_group(world: World) -> None:
    found = created(world, group())
    come(world, 0, 1)
    for match in found:
        finish(world, match)
    for match in found:
        world.feed([world.look(match)])
    (progress,) = world.groups.store.progress(["group-1"])
    assert (progress.status, progress.over) == (GroupStatus.OVER, frozenset({0, 1}))
    assert world.readable[0] == found
    assert {match for each in world.readable for match in each} == set(found)


def test_a_void_match_is_replaced_with_the_same_deck(world: World) -> None:
    first, second = created(world, group())
    come(world, 0, 1)
    deck = world.look(first).log.splitlines()[0]
    world.referee.void(first, "a disk was full")
    again, other = world.groups.matches(world.groups.get("group-1"))
    assert (again != first, other) == (True, second)
    come(world, 0, 1)
    assert world.look(again).log.splitlines()[0] == deck
    for match in (again, second):
        finish(world, match)
    assert world.readable[-1] == [again, second]
    assert world.groups.store.progress(["group-1"])[0].status is GroupStatus.OVER


def test_a_replaced_match_is_listed_after_its_group_ends_but_not_read(world: World) -> None:
    first, second = created(world, group())
    come(world, 0, 1)
    world.referee.void(first, "a disk was full")
    assert listed(world) == []
    (again, _) = world.groups.matches(world.groups.get("group-1"))
    come(world, 0, 1)
    for match in (again, second):
        finish(world, match)
    assert set(listed(world)) == {first, second, again}
    assert listed(world, MatchFilter(void=True)) == [first]
    assert {match for each in world.readable for match in each} == {second, again}


def test_a_group_is_void_after_too_many_void_matches(world: World) -> None:
    created(world, group())
    come(world, 0, 1)
    for _ in range(3):
        match, other = world.groups.matches(world.groups.get("group-1"))
        world.referee.void(match, "again")
    assert world.groups.store.progress(["group-1"])[0].status is GroupStatus.VOID
    assert world.look(other).progress.ending is Ending.VOID
    assert not world.referee.is_masked(world.look(other))


def test_readers_get_void_matches_of_a_void_group_fed_together(world: World) -> None:
    bots = (remote(0), remote(1), remote(2), house("first"))
    created(world, group(bots=bots, tables=((0, 3), (1, 3), (2, 3)), kind=GroupKind.ONCE_ONLY))
    come(world, 0, 1, 2)
    for _ in range(2):
        *others, broken = world.groups.matches(world.groups.get("group-1"))
        world.referee.void(broken, "again")
    come(world, 2)
    world.feeds = False
    *others, broken = world.groups.matches(world.groups.get("group-1"))
    for match in others:
        finish(world, match)
    world.referee.void(broken, "for the third time")
    readable: list[LoadedMatch] = []
    feed = Feed(
        world.referee,
        world.index,
        world.groups,
        readers=[
            lambda groups: readable.extend(
                loaded for loaded_matches in groups if len(loaded_matches) > 1 for loaded in loaded_matches
            )
        ],
    )
    feed([world.look(match) for match in (*others, broken)])
    assert {loaded.id for loaded in readable} == {*others, broken}
    assert [loaded.void for loaded in readable] == [True] * 3


class TablesInMemory:
    """Tables that do something right after their next look-up."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}
        self.afterwards: list[Callable[[], None]] = []

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        found = [self.entries.get(key) for key in keys]
        while self.afterwards:
            self.afterwards.pop()()
        return found


def test_a_group_that_is_archived_while_it_is_added_again_stays_archived(any_redis: Redis) -> None:
    tables: Any = TablesInMemory()
    store = RedisGroupStore(any_redis, tables)
    match: Any = SimpleNamespace(group=SimpleNamespace(id="group-1"))

    def archive() -> None:
        left = store.entries([match])
        tables.entries |= left
        store.remove(left)

    (added,) = store.add([group()])
    assert store.add([added]) == [added]
    store.void(["group-1"], 5)
    tables.afterwards.append(archive)
    assert store.add([group()]) == [added]
    assert store.statuses(["group-1"]) == [GroupStatus.VOID]
    assert any_redis.run([("EXISTS", f"kozyr:{{group:group-1}}{end}") for end in ("", ":adding")]) == [0, 0]
