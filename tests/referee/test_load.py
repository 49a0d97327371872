"""The load of the service: what waits, how late it is, and what it takes in Redis."""

from __future__ import annotations

import pytest

from records.match.session import Status
from redisio.connection import Redis
from referee.archive.redis import RedisRegister, SegmentEntry
from referee.archive_index.manifest import Manifest
from referee.dumps.redis import RedisDumps
from referee.service.redis_load import RedisLoad, ServiceLoad, ThinkingLoad
from tests.referee.world import T0, ManualClock, World, house

HOUR_MS = 3_600_000


@pytest.fixture
def world(redis: Redis) -> World:
    return World(redis)


def load(world: World, *, hot_ms: int = 0, now: int = T0) -> ServiceLoad:
    return reader(world, hot_ms=hot_ms, now=now).load()


def reader(world: World, *, hot_ms: int = 0, now: int = T0) -> RedisLoad:
    return RedisLoad(
        world.redis,
        settle_ms=world.times.settle_ms,
        matches=world.store,
        chain=world.chain,
        register=RedisRegister(world.redis),
        manifest=Manifest(world.redis),
        dumps=RedisDumps(world.redis),
        hot_ms=hot_ms,
        now=lambda: now,
    )


def chained(world: World) -> str:
    """Play a match and append its record to the chain. Return its id."""
    match = world.match([house(), house("dice")])
    while world.look(match).progress.status is not Status.FINISHED:
        world.referee.go_on(match, 1.0)
    world.chain.append({match: b"d" * 32})
    return match


def test_matches_and_outbox_entries_are_counted(world: World) -> None:
    matches = [world.match() for _ in range(3)]
    entries = sum(len(world.outbox(match)) for match in {match[:2]: match for match in matches}.values())
    assert (load(world).matches, load(world).outbox) == (3, entries)
    world.play_out(matches[0])
    found = load(world)
    assert found.matches == 2
    world.store.done([entry for match in matches for entry in world.outbox(match)])
    assert load(world).outbox == 0


def test_a_deadline_is_late_from_the_instant_at_which_it_could_be_applied(world: World) -> None:
    clock = ManualClock(world.redis)
    match = world.match()
    due = world.listed_until(match)
    assert due is not None
    clock.set(due + world.times.settle_ms)
    assert load(world).late_ms == 0
    clock.advance(1_500)
    assert load(world).late_ms == 1_500
    world.referee.apply_timeouts(match)
    assert load(world).late_ms == 0


def test_the_archive_lags_by_the_age_of_its_oldest_due_record(world: World) -> None:
    match = chained(world)
    ended = world.look(match).progress.ended
    assert ended is not None
    assert load(world, now=ended + 9 * HOUR_MS).archive_late_ms == 0  # nothing ever moves
    assert load(world, hot_ms=HOUR_MS, now=ended + HOUR_MS).archive_late_ms == 0
    late = load(world, hot_ms=HOUR_MS, now=ended + 3 * HOUR_MS)
    assert (late.archive_late_ms, late.archived) == (2 * HOUR_MS, 0)
    assert RedisRegister(world.redis).append(SegmentEntry("a", 1, 1, 1, 100, ended))
    moved = load(world, hot_ms=HOUR_MS, now=ended + 3 * HOUR_MS)
    assert (moved.archive_late_ms, moved.archived) == (0, 1)


def test_the_thinking_of_all_workers_adds_up(world: World) -> None:
    for done in ({"search": ThinkingLoad(2, 2_000, 10)}, {"search": ThinkingLoad(1, 1_000, 500)}, {}):
        world.load.thought(done)
    world.load.thought({"search-100ms": ThinkingLoad(1, 100, 0)})
    assert world.load.load().thinking == {
        "search": ThinkingLoad(3, 3_000, 510),
        "search-100ms": ThinkingLoad(1, 100, 0),
    }


def test_the_archive_is_away_from_the_first_failure_to_the_next_success(world: World) -> None:
    def noted(is_away: bool, now: int) -> int:
        measured = reader(world, now=now)
        measured.note_archive(is_away=is_away)
        return measured.load().archive_away_ms

    assert load(world).archive_away_ms == 0
    assert noted(is_away=True, now=T0) == 0
    assert noted(is_away=True, now=T0 + 60_000) == 60_000
    assert noted(is_away=False, now=T0 + 61_000) == 0
