"""Pause, drain and resume: one state that all processes, clocks and waiting polls follow."""

from __future__ import annotations

import pytest

from records.ids import buckets
from redisio.connection import Redis
from referee.errors import ServiceDraining, ServicePaused
from referee.polling.redis import WakeupListener
from referee.service.admission import admit
from referee.service.redis import RedisService
from referee.service.state import ServiceState
from referee.storage.redis import clock_key
from tests.referee.test_turns import against_house, registered, waiting
from tests.referee.world import World, at_once
from tests.support.waiting import eventually

RUNNING, DRAINING, PAUSED = ServiceState.RUNNING, ServiceState.DRAINING, ServiceState.PAUSED


@pytest.fixture
def world(redis: Redis) -> World:
    """Return a referee that uses the time of Redis."""
    world = World(redis)
    world.store.heartbeat()
    return world


@pytest.fixture
def service(world: World) -> RedisService:
    return RedisService(world.redis, world.store)


def held(world: World) -> int:
    """Return how many clocks are paused."""
    return sum(world.redis.one("HEXISTS", clock_key(bucket), "held") for bucket in buckets())


def test_a_second_pause_changes_nothing(world: World, service: RedisService) -> None:
    first = service.change(PAUSED, "first")
    before = world.dump()
    assert service.change(PAUSED, "second") == first
    assert world.dump() == before


@pytest.mark.parametrize(("state", "refusal"), [(PAUSED, ServicePaused), (DRAINING, ServiceDraining)])
def test_a_paused_or_draining_service_creates_nothing(
    service: RedisService, state: ServiceState, refusal: type[Exception]
) -> None:
    service.change(state, "tea")
    with pytest.raises(refusal, match="tea"):
        admit(service)
    service.change(RUNNING, "")
    admit(service)


def test_the_next_heartbeat_completes_a_change_left_half_done(world: World, service: RedisService) -> None:
    service.change(PAUSED, "")
    # As if the process that paused had died after its decision: no clock follows it yet.
    world.redis.one("HDEL", "kozyr:{service}:state", "settled")
    world.store.pause(False, 1)
    assert held(world) == 0
    assert service.status().settled is False
    assert service.keep().settled is True
    assert held(world) == len(buckets())
    assert service.keep() == service.status()


def test_after_concurrent_decisions_all_clocks_follow_the_same(world: World, service: RedisService) -> None:
    states = [PAUSED, RUNNING, PAUSED, DRAINING] * 2
    at_once(*[lambda state=state: service.change(state, "") for state in states])
    assert held(world) == (len(buckets()) if service.keep().state is PAUSED else 0)


def test_a_change_of_state_answers_waiting_polls_once(world: World, service: RedisService) -> None:
    wakeups = WakeupListener(world.hub, world.redis, sweep_s=60)
    wakeups.start()
    try:
        since = world.poll("bot-0", 0.0)["since"]
        with waiting(lambda: world.poll("bot-0", 30.0, since)) as answers:
            registered(world.hub)
            eventually(lambda: world.redis.one("PUBSUB", "NUMSUB", "kozyr:wake")[1] == 1)
            service.change(PAUSED, "")
        assert (answers[0]["service"], answers[0]["turns"]) == ("paused", [])
        again = world.poll("bot-0", 0.0, answers[0]["since"])
        assert again["service"] == "paused"
        with waiting(lambda: world.poll("bot-0", 30.0, again["since"])) as answers:
            registered(world.hub)
            service.change(RUNNING, "")
        assert answers[0]["service"] == "running"
    finally:
        wakeups.stop()


def test_a_poll_after_the_change_is_answered_at_once(world: World) -> None:
    since = world.poll("bot-0", 0.0)["since"]
    world.hub.announce(1, PAUSED)
    answer = world.poll("bot-0", 30.0, since)
    assert answer["service"] == "paused"
    world.hub.announce(2, RUNNING)
    answer = world.poll("bot-0", 30.0, answer["since"])
    assert answer["service"] == "running"


def test_an_older_decision_after_a_newer_one_is_ignored(world: World) -> None:
    world.hub.announce(2, PAUSED)
    world.hub.announce(1, RUNNING)
    assert world.hub.service is PAUSED


def test_moves_and_turns_go_on_in_a_pause(world: World, service: RedisService) -> None:
    (match,) = against_house(world)
    service.change(PAUSED, "")
    asked = world.look(match)
    for _ in range(3):
        if not world.look(match).finished:
            entry = world.act(match, seat=0).entry
            assert entry.charged == 0
    assert world.look(match).now == asked.now
    assert world.overdue() == []


def test_draining_stops_no_clock_and_a_pause_may_follow(world: World, service: RedisService) -> None:
    service.change(DRAINING, "")
    assert held(world) == 0
    service.change(PAUSED, "")
    assert held(world) == len(buckets())
    service.change(DRAINING, "")
    assert held(world) == 0
