"""Clocks: what a decision costs, when a turn times out, and how outages cost no time."""

from __future__ import annotations

import pytest

from records.errors import StaleTurn
from records.ids import buckets
from records.match.move_requests import MoveRequest
from records.match.session import Ending
from records.match.views import match_view, turn_view
from redisio.connection import Redis
from referee.storage.redis import clock_key
from tests.referee.world import (
    CLOCK,
    EXCHANGE,
    T0,
    TWO,
    ManualClock,
    World,
    at_once,
    stack,
)

FULL = CLOCK.move_ms + CLOCK.bank_ms
LATE = FULL + CLOCK.grace_ms + 50
"""How long after a question the loop settles it: deadline, grace and settling time."""


@pytest.mark.parametrize(
    ("taken", "bank", "charged", "after", "in_time"),
    [
        (0, 3_000, 0, 3_100, True),
        (1_000, 3_000, 0, 3_100, True),
        (1_001, 3_000, 1, 3_099, True),
        (4_000, 3_000, 3_000, 100, True),
        (4_250, 3_000, 3_000, 100, True),
        (4_251, 3_000, 3_000, 100, False),
        (1_000, 0, 0, 100, True),
        (1_250, 0, 0, 100, True),
        (1_251, 0, 0, 100, False),
    ],
)
def test_the_bank_is_charged_for_time_beyond_the_move_but_not_for_the_grace(
    taken: int, bank: int, charged: int, after: int, in_time: bool
) -> None:
    assert CLOCK.charged(taken, bank) == charged
    assert CLOCK.after_decision(taken, bank) == after
    assert CLOCK.in_time(taken, bank) is in_time


def test_the_deadline_includes_the_bank_but_not_the_grace(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    loaded = world.look(match)
    seat = loaded.progress.to_move
    assert seat is not None
    assert (loaded.asked, loaded.deadline) == (T0, T0 + FULL)
    assert world.listed_until(match) == T0 + FULL + CLOCK.grace_ms
    clock.advance(2_500)
    made = world.act(match)
    assert (made.entry.ms, made.entry.charged) == (2_500, 1_500)
    loaded = world.look(match)
    assert loaded.progress.bank[seat] == 3_000 - 1_500 + 100
    assert loaded.progress.bank[1 - seat] == 3_000
    assert loaded.deadline == T0 + 2_500 + FULL
    assert match_view(loaded, None, masked=False)["clocks"][seat] == {"bank_ms": 1_600, "strikes": 0}
    assert turn_view(loaded, 1 - seat)["deadline"] == "2025-11-21T00:00:06.500Z"


def test_a_move_after_the_grace_comes_after_the_safe_move(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    seat, move = world.look(match).progress.to_move or 0, world.legal(match)[-1]
    clock.advance(FULL + CLOCK.grace_ms + 20)  # the loop would not settle it yet
    with pytest.raises(StaleTurn, match="safe move"):
        world.act_unlooked(match, seat, MoveRequest(match, move, 1), age_s=0.0)
    entry = world.log(match)[-1]
    assert (entry.seat, entry.turn, entry.by, entry.ms, entry.charged) == (seat, 1, "t", FULL, 3_000)
    loaded = world.look(match)
    assert (loaded.progress.bank[seat], loaded.progress.strikes[seat]) == (0, 1)
    assert (loaded.progress.turn, loaded.progress.to_move) == (2, 1 - seat)
    before = world.dump()
    for text in (move, entry.move):
        with pytest.raises(StaleTurn, match="the referee"):
            world.act(match, text, seat=seat, turn=1)
    assert world.dump() == before


def test_a_move_that_arrived_in_time_is_made_after_any_wait(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    seat, move = world.look(match).progress.to_move or 0, world.legal(match)[0]
    clock.advance(3_600_000)
    made = world.act_unlooked(match, seat, MoveRequest(match, move, 1), age_s=3_598.0)
    assert made.entry.ms == 2_000
    assert world.look(match).progress.strikes == (0, 0)


def test_the_loop_waits_for_moves_that_have_arrived(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    clock.advance(LATE - 1)
    assert world.overdue() == []
    assert world.referee.apply_timeouts(match) == world.look(match)
    assert world.look(match).progress.turn == 1
    clock.advance(1)
    assert world.overdue() == [match]
    loaded = world.referee.apply_timeouts(match)
    assert loaded is not None
    assert loaded.progress.turn == 2
    assert world.overdue() == []


def test_every_look_applies_expired_deadlines(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    clock.advance(LATE)
    assert world.look(match).progress.strikes != (0, 0)
    clock.advance(LATE)
    (loaded,) = world.referee.look_at([match])
    assert loaded is not None
    assert sum(loaded.progress.strikes) == 2


def test_a_free_move_leaves_another_seat_its_grace(
    world: World, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(monkeypatch, {1: EXCHANGE})
    match = world.match(2, **TWO)
    clock.advance(LATE - 1)
    world.act_unlooked(match, 0, MoveRequest(match, "exchange", deal=1), age_s=0.0)
    assert world.act_unlooked(match, 1, MoveRequest(match, "attack 7H", 1), age_s=0.06).entry.by == "-"


def test_concurrent_loops_and_readers_time_a_turn_out_once(redis: Redis, clock: ManualClock) -> None:
    worlds = [World(redis), World(Redis(redis.url))]
    match = worlds[0].match(2)
    clock.advance(LATE)

    def loop(world: World) -> None:
        for found in world.overdue():
            world.referee.apply_timeouts(found)

    tasks = [lambda world=world: loop(world) for world in worlds * 3]
    tasks += [lambda world=world: world.look(match) for world in worlds * 3]
    assert [entry for entry in at_once(*tasks) if isinstance(entry, Exception)] == []
    assert [entry.by for entry in worlds[1].log(match)] == ["-", "t"]


def test_the_third_strike_forfeits_and_a_match_of_two_is_over(world: World, clock: ManualClock) -> None:
    match = world.match(2, deals=5)
    seat, strikes = world.look(match).progress.to_move or 0, list[int]()
    while not world.look(match).finished:
        if world.look(match).progress.to_move == seat:
            clock.advance(LATE)
            strikes.append(world.look(match).progress.strikes[seat])
        else:
            world.act(match)
    progress = world.look(match).progress
    assert strikes == [1, 2, 3]
    assert (progress.ending, progress.forfeits) == (Ending.FORFEIT, (seat,))
    assert progress.scores == tuple(-1 if each == seat else 0 for each in range(2))
    assert world.overdue() == []


def test_a_timeout_empties_the_bank_and_gets_no_increment(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    seat = world.look(match).progress.to_move or 0
    clock.advance(LATE)
    assert world.look(match).progress.bank[seat] == 0
    while world.look(match).progress.to_move != seat:
        world.act(match)
    loaded = world.look(match)
    assert (loaded.deadline or 0) - (loaded.asked or 0) == CLOCK.move_ms
    assert (world.listed_until(match) or 0) == (loaded.deadline or 0) + CLOCK.grace_ms
    world.act(match)
    assert world.look(match).progress.bank[seat] == CLOCK.increment_ms


# Outages cost bots nothing: these tests write the fields of the clock as an outage leaves them


def _redis_now(redis: Redis) -> int:
    seconds, micros = redis.one("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def _set(redis: Redis, **fields: int) -> None:
    """Replace the clock of all buckets by these fields."""
    commands: list[tuple[object, ...]] = []
    for bucket in buckets():
        commands.append(("DEL", clock_key(bucket)))
        commands += [("HSET", clock_key(bucket), name, value) for name, value in fields.items()]
    redis.run(commands)


MINUTE = 60_000
SLACK = 350
"""How long service time runs on after a heartbeat: `SLACK_MS` of lua/clock.lua."""


@pytest.fixture
def of_a_minute_ago(redis: Redis) -> tuple[World, str, int]:
    """Return a world, a running match whose question is a minute old in real time, and the present instant."""
    world, now = World(redis), _redis_now(redis)
    _set(redis, beat=now + MINUTE, credited=MINUTE)  # so that service time is what it was a minute ago
    match = world.match(2)
    asked = world.look(match).asked or 0
    assert now - MINUTE <= asked <= now - MINUTE + 5_000
    return world, match, now


def test_service_time_runs_while_heartbeats_come(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, now = of_a_minute_ago
    _set(world.redis, beat=now + MINUTE)
    assert match in world.overdue()
    assert sum(world.look(match).progress.strikes) == 1


def test_a_gap_of_heartbeats_stops_clocks_and_is_credited(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, now = of_a_minute_ago
    _set(world.redis, beat=now - MINUTE + 1_000)
    before = world.dump()
    assert world.overdue() == []
    assert world.look(match).now == now - MINUTE + 1_000 + SLACK
    assert world.dump() == before
    credited = world.store.heartbeat()
    assert credited >= MINUTE - 1_000
    loaded = world.look(match)
    assert sum(loaded.progress.strikes) == 0
    assert loaded.now <= now - MINUTE + 1_000 + SLACK + 2_000
    assert world.act(match).entry.ms < 5_000
    assert world.store.heartbeat() == 0


def test_service_time_never_steps_back_for_a_credit(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, now = of_a_minute_ago
    _set(world.redis, beat=now - 5_000)
    stood = world.look(match).now
    assert stood == now - 5_000 + SLACK
    assert world.store.heartbeat() >= 5_000
    seen = [world.look(match).now for _ in range(20)]
    assert seen == sorted(seen)
    assert seen[0] >= stood
    _set(world.redis, beat=now - 5_000, floor=stood + 10_000)
    assert world.store.pause(True)
    assert world.look(match).now == stood + 10_000
    assert world.store.pause(False)
    assert world.look(match).now == stood + 10_000


def test_no_turn_times_out_while_service_time_stands_still(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, _ = of_a_minute_ago
    deadline = world.look(match).deadline or 0
    _set(world.redis, beat=deadline + 260)
    loaded = world.look(match)
    assert loaded.now > deadline + CLOCK.grace_ms + world.times.settle_ms
    assert (sum(loaded.progress.strikes), world.overdue()) == (0, [])
    moved = world.act(match)
    assert (moved.entry.by, moved.entry.charged) == ("-", CLOCK.bank_ms)
    assert moved.entry.ms == FULL + CLOCK.grace_ms


def test_service_time_does_not_jump_after_a_late_heartbeat(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, _ = of_a_minute_ago
    for _ in range(20):
        now = _redis_now(world.redis)
        _set(world.redis, beat=now - 700, credited=MINUTE)
        stood = world.look(match).now
        assert stood == now - 700 + SLACK - MINUTE
        credited, after = world.store.heartbeat(), world.look(match).now
        passed = _redis_now(world.redis) - now
        if passed < 200:
            break  # otherwise the machine paused so long that it counts as an outage
    assert credited >= 700 - SLACK
    assert stood <= after <= stood + passed


def test_service_time_does_not_jump_while_a_process_is_late(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, _ = of_a_minute_ago
    for late in range(SLACK + 50, 950, 50):
        now = _redis_now(world.redis)
        _set(world.redis, beat=now - 950, credited=MINUTE)
        stood = world.look(match).now
        assert stood == now - 950 + SLACK - MINUTE
        world.store.heartbeat(late)
        assert int(world.redis.one("HGET", clock_key("00"), "beat")) >= now - late, "the heartbeat counts"
        assert world.look(match).now == stood, f"a heartbeat that was {late} ms late moved service time"


def test_no_turn_times_out_before_the_heartbeat_that_follows(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, _ = of_a_minute_ago
    end = int(world.redis.one("ZSCORE", f"kozyr:{{{match[:2]}}}:deadlines", match))
    for _ in range(20):
        up_to = _redis_now(world.redis) - 250
        # Service time has passed the deadline by now, but the last heartbeat came before it.
        _set(world.redis, beat=up_to, credited=up_to - (end - 150))
        assert world.store.times([match])[0] >= end + world.times.settle_ms
        assert world.overdue() == []
        if world.store.heartbeat() == 0:
            break  # otherwise the machine paused so long that it counts as an outage
    assert world.overdue() == [match]


def test_concurrent_heartbeats_credit_a_gap_once(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, _, now = of_a_minute_ago
    _set(world.redis, beat=now - 30_000, credited=5)
    at_once(*[lambda: world.store.heartbeat()] * 8)
    for bucket in buckets():
        credited = int(world.redis.one("HGET", clock_key(bucket), "credited"))
        assert 30_000 + 5 <= credited < 35_000


def test_service_time_runs_up_to_the_slowest_api_process(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, now = of_a_minute_ago
    frozen_at = now - 29_500
    _set(world.redis, beat=frozen_at, credited=MINUTE - 30_000)
    stood = frozen_at + SLACK - (MINUTE - 30_000)
    for _ in range(3):
        world.store.heartbeat(_redis_now(world.redis) - frozen_at)
        assert world.look(match).now == stood, "service time stands where the process froze"
        assert world.overdue() == []
    assert world.store.heartbeat(0) >= 29_000, "the gap is credited once the process serves or has ended"
    assert world.look(match).now - stood < 5_000
    assert world.store.heartbeat(2_000) == 0, "an older heartbeat changes nothing"
    assert int(world.redis.one("HGET", clock_key("00"), "beat")) >= now


@pytest.mark.parametrize(
    ("last_beat_ms_ago", "with_deadline", "credited"),
    [
        pytest.param(-MINUTE, True, 0, id="another process was faster"),
        pytest.param(None, True, 0, id="the first heartbeat"),
        pytest.param(MINUTE, False, -1, id="no deadline runs"),
    ],
)
def test_a_heartbeat_without_a_gap_credits_nothing(
    redis: Redis, last_beat_ms_ago: int | None, with_deadline: bool, credited: int
) -> None:
    world, now = World(redis), _redis_now(redis)
    if with_deadline:
        world.match(2)
    _set(redis, **({} if last_beat_ms_ago is None else {"beat": now - last_beat_ms_ago}))
    assert world.store.heartbeat() == credited
    assert redis.one("HGET", clock_key("00"), "credited") is None
    latest = max(now, now - (last_beat_ms_ago or 0))
    assert int(redis.one("HGET", clock_key("00"), "beat")) >= latest, "it never steps back"


def test_nothing_is_overdue_before_the_first_heartbeat(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, _, _ = of_a_minute_ago
    _set(world.redis)
    assert world.overdue() == []


def test_a_pause_stops_all_clocks_and_is_credited(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, now = of_a_minute_ago
    _set(world.redis, beat=now - MINUTE, held=now - MINUTE + 500)
    assert world.overdue() == []
    assert world.look(match).now == now - MINUTE + 500
    assert world.store.heartbeat() == 0
    assert world.store.pause(True) is False
    assert world.look(match).now == now - MINUTE + 500
    assert world.store.pause(False) is True
    loaded = world.look(match)
    assert now - MINUTE + 500 <= loaded.now <= now - MINUTE + 5_000
    assert sum(loaded.progress.strikes) == 0
    assert world.store.pause(False) is False
    assert world.store.heartbeat() == 0


def test_the_later_decision_holds_in_any_order(redis: Redis) -> None:
    world = World(redis)
    world.store.heartbeat()
    assert world.store.pause(True, 5) is True
    assert world.store.pause(False, 4) is False
    assert world.store.pause(False, 6) is True
    assert world.store.pause(True, 5) is False


def test_a_pause_during_an_outage_starts_with_the_outage(redis: Redis) -> None:
    world, now = World(redis), _redis_now(redis)
    _set(redis, beat=now - MINUTE)
    assert world.store.pause(True) is True
    assert int(redis.one("HGET", clock_key("00"), "held")) == now - MINUTE
    world.store.pause(False)
    assert int(redis.one("HGET", clock_key("00"), "credited")) >= MINUTE


def test_moves_in_a_pause_are_made_and_cost_no_time(of_a_minute_ago: tuple[World, str, int]) -> None:
    world, match, _ = of_a_minute_ago
    asked = world.look(match).asked or 0
    _set(world.redis, beat=asked, held=asked + 300)
    entry = world.act(match).entry
    assert (entry.ms, entry.charged) == (300, 0)


def test_a_free_move_applies_expired_deadlines(
    world: World, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(monkeypatch, {1: EXCHANGE})
    match = world.match(2, **TWO)
    clock.advance(LATE)
    made = world.act_unlooked(match, 0, MoveRequest(match, "exchange", deal=1), age_s=0.0)
    assert made.entry.move == "exchange"
    assert [(entry.by, entry.move) for entry in world.log(match)[1:]] == [
        ("t", "attack 8D"),
        ("-", "exchange"),
    ]
    assert world.look(match).progress.strikes == (0, 1)
