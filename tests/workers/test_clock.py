"""The deadline loop."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from redis.exceptions import ConnectionError as RedisGone

from records.match.clock import ClockRule
from records.match.session import Seat
from redisio.connection import Redis
from redisio.errors import NotReplicated
from referee.referee import LoadedMatch
from referee.storage.redis import keys_of
from tests.support.league import LeagueWorld, ServiceTime
from workers import deadline_loop
from workers.deadline_loop import DeadlineLoop, FeedRelay, OutboxEntry, Pass
from workers.periodic import PeriodicWork
from workers.stop_request import StopRequest

CLOCK = ClockRule(move_ms=1000, bank_ms=0, grace_ms=250, strikes=3)


@pytest.fixture
def service_time(redis: Redis) -> ServiceTime:
    return ServiceTime(redis)


def remote_match(league: LeagueWorld, number: int = 0) -> LoadedMatch:
    """Return a running match of two remote bots."""
    seats = [Seat(f"ivan/b{side}", f"b{number}-{side}", "1") for side in range(2)]
    return league.referee.create("durak", seats, {}, clock=CLOCK, present=True)


class StopAtFirstWait(StopRequest):
    """Ends a loop at its first delay, and keeps this delay."""

    def wait(self, seconds: float) -> bool:
        self.delay = seconds
        self.set()
        return True


@pytest.mark.parametrize(
    ("left_ms", "delay_s"), [(500, 0.1), (60, 0.06), (5, 0.02)], ids=["far", "near", "at once"]
)
def test_the_loop_sleeps_until_the_next_deadline_has_passed_and_settled(
    left_ms: int, delay_s: float, league: LeagueWorld, service_time: ServiceTime
) -> None:
    remote_match(league)
    league.referee.times = league.referee.times._replace(settle_ms=50)
    service_time.go(1000 + 250 + 50 - left_ms)
    stop = StopAtFirstWait()
    DeadlineLoop(
        league.referee, {"index": FeedRelay(league.referee, league.feed)}, monotonic=lambda: 0.0
    ).run(stop)
    assert stop.delay == pytest.approx(delay_s)


def test_the_loop_rests_while_nothing_waits(league: LeagueWorld, service_time: ServiceTime) -> None:
    stop = StopAtFirstWait()
    DeadlineLoop(league.referee, {}, monotonic=lambda: 0.0).run(stop)
    assert stop.delay == pytest.approx(0.25)


def test_the_failure_of_one_match_stops_no_other(
    league: LeagueWorld, service_time: ServiceTime, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    broken, whole = remote_match(league, 1), remote_match(league, 2)
    loop = league.loop()
    loop.tick()
    redis.one("SET", keys_of(broken.id)[1], "no log\n")
    service_time.go(1400)
    found = loop.tick()
    assert (found.settled, found.failed) == (1, 1)
    assert league.referee.look(whole.id).progress.turn == whole.progress.turn + 1
    for _ in range(30):
        assert loop.tick().failed == 1
    # Repeated failures are logged at the 1st, 2nd, 4th, … time, both of the batch and of the match.
    assert [record.levelname for record in caplog.records].count("ERROR") == 10


def test_outbox_entries_are_removed_when_done_and_kept_when_not(
    league: LeagueWorld, service_time: ServiceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LeagueWorld, "on_changed", lambda *_: None)  # the commit handles no entries itself
    first, second = remote_match(league, 1), remote_match(league, 2)
    seen: list[str] = []
    trouble = True

    def index(entries: Sequence[OutboxEntry]) -> None:
        for entry in entries:
            if trouble and entry.match == first.id:
                raise ValueError("not this one")
            seen.append(entry.match)

    loop = DeadlineLoop(league.referee, {"index": index})
    assert (loop.tick().relayed, set(seen)) == (1, {second.id})
    trouble = False
    found = loop.tick()
    assert (found.relayed, found.failed, set(seen)) == (1, 0, {first.id, second.id})
    assert loop.tick().relayed == 0


def test_the_loop_leaves_an_entry_to_the_process_that_committed_it_for_a_while(
    league: LeagueWorld, service_time: ServiceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LeagueWorld, "on_changed", lambda *_: None)  # the commit handles no entries itself
    monkeypatch.setattr(
        deadline_loop, "AT_A_TIME", 1
    )  # entries that are left alone are no reason for a pass without delay
    now = [0.0]
    loop = DeadlineLoop(
        league.referee,
        {"index": FeedRelay(league.referee, league.feed)},
        patience_s={"index": 1.0},
        monotonic=lambda: now[0],
    )
    remote_match(league)
    relayed = []
    for now[0] in (0.0, 0.9, 1.0, 1.1):
        found = loop.tick()
        relayed.append((found.relayed, found.full))
    assert relayed == [(0, False), (0, False), (1, True), (0, False)]


def test_a_lost_job_is_enqueued_again(league: LeagueWorld, service_time: ServiceTime) -> None:
    seats = [Seat(f"house/{name}", f"house-{name}", "1", True) for name in ("a1", "a2")]
    loaded = league.referee.create("durak", seats, {}, deals=20)
    loop = league.loop()
    loop.tick()
    assert league.house_jobs == [(loaded.id, 1)]
    service_time.go(league.referee.times.house_ms + 1000)
    loop.tick()
    loop.tick()
    assert league.house_jobs == [(loaded.id, 1), (loaded.id, 2)]


def test_only_house_bots_yet_to_move_get_a_job(league: LeagueWorld, service_time: ServiceTime) -> None:
    seats = [Seat(f"house/{name}", f"house-{name}", "1", True) for name in ("a1", "a2")]
    waiting = league.referee.create("durak", seats, {}, deals=20)
    gone_on = league.referee.create("durak", seats, {}, deals=20)
    league.referee.go_on(gone_on.id, 30.0)
    league.loop().tick()
    assert league.house_jobs == [(waiting.id, 1)]


def test_the_loop_continues_when_redis_is_back(
    league: LeagueWorld, service_time: ServiceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = remote_match(league)
    service_time.go(1400)
    due, stop, tries = league.referee.store.due, StopRequest(), [0]

    def away(settle_ms: int, most: int) -> object:
        tries[0] += 1
        if tries[0] <= 2:
            raise RedisGone("no")
        if tries[0] > 3:
            stop.set()
        return due(settle_ms, most)

    monkeypatch.setattr(league.referee.store, "due", away)
    monkeypatch.setattr("workers.deadline_loop.PAUSE_S", 0.001)
    thread = threading.Thread(target=DeadlineLoop(league.referee, {}, tick_ms=1).run, args=(stop,))
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert league.referee.look(loaded.id).progress.turn == loaded.progress.turn + 1


def test_a_master_without_replicas_does_not_stop_the_rest_of_a_pass(
    league: LeagueWorld, service_time: ServiceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unconfirmed(*_: object) -> None:
        raise NotReplicated

    remote_match(league)
    passed: list[str] = []
    loop = DeadlineLoop(
        league.referee, {"index": unconfirmed}, lambda: passed.append("schedules"), monotonic=lambda: 0.0
    )
    league.redis.run([("RPUSH", keys_of(match.id)[4], f"index {match.id} 1") for match in league.matches()])
    assert loop.tick().failed == 1
    assert passed == ["schedules"]
    parts = (league.seasons, league.rounds, league.groups, league.match_queue)
    for part in parts:
        monkeypatch.setattr(part, "tick", lambda part=part: (passed.append(part), unconfirmed()))
    with pytest.raises(NotReplicated):
        PeriodicWork(league)()
    assert passed == ["schedules", *parts]


def test_the_loop_sends_a_heartbeat_after_each_successful_pass(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, passes, beats = StopRequest(), [], []
    loop = DeadlineLoop(league.referee, {}, tick_ms=5, after_pass=lambda: beats.append(len(passes)))
    look = loop.tick

    def tick() -> Pass:
        passes.append(None)
        if len(passes) == 4:
            stop.set()
        if len(passes) == 2:
            raise ValueError("this pass fails")
        return look()

    monkeypatch.setattr(loop, "tick", tick)
    monkeypatch.setattr("workers.deadline_loop.PAUSE_S", 0.0)
    loop.run(stop)
    assert beats == [1, 3, 4]
