"""Sentinel addresses, failovers, and writes that wait for replicas, with real servers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError

from records.match.loaded_match import MoveResult
from records.match.move_requests import MoveRequest
from redisio import group_commit
from redisio.connection import WAKE_CHANNEL, Redis
from redisio.errors import NotReplicated, WaitRefused, why_not
from redisio.hosts import sentinel_address
from referee.polling.hub import Hub
from referee.polling.redis import WakeupListener
from tests.referee.world import World, house, remote
from tests.support.replicated import MASTER, ReplicatedRedis
from tests.support.waiting import eventually


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[ReplicatedRedis]:
    with ReplicatedRedis(tmp_path) as servers:
        yield servers


def test_a_connection_follows_the_master_after_a_failover(replicated: ReplicatedRedis) -> None:
    redis = Redis(replicated.url)
    redis.one("SET", "a", 1)
    eventually(lambda: replicated.client("second").get("a") == "1")
    replicated.kill("first")
    eventually(lambda: _tried(redis, "SET", "b", 2) == b"OK")
    assert redis.one("GET", "a") == b"1"
    assert replicated.client("second").get("b") == "2"


@pytest.mark.ci
def test_a_connection_leaves_a_demoted_master_that_stays_alive(replicated: ReplicatedRedis) -> None:
    redis = Redis(replicated.url)
    redis.one("SET", "a", 1)
    eventually(replicated.fail_over, "the Sentinel finds the replica good enough")
    eventually(lambda: replicated.client("second").info("replication")["role"] == "master")

    def arrives() -> bool:
        _tried(redis, "EVAL", "return redis.call('SET', KEYS[1], 2)", 1, "b")
        return replicated.client("second").get("b") == "2"

    eventually(arrives)


def test_wake_ups_arrive_from_the_new_master_after_the_old_one_hangs(replicated: ReplicatedRedis) -> None:
    """A frozen server keeps its connections, so that nothing is heard of it."""
    hub, redis = Hub(), Redis(replicated.url)
    wakeups = WakeupListener(hub, redis, sweep_s=3_600, silence_s=0.2)
    try:
        with hub.registered("match") as waiter:
            wakeups.start()
            eventually(lambda: waiter.woken, "the listener has subscribed")
            replicated.freeze("first")
            new = replicated.client("second")
            eventually(lambda: new.pubsub_numsub(WAKE_CHANNEL)[0][1] == 1, "it listens to the new master")
            waiter.clear()
            new.publish(WAKE_CHANNEL, "match")
            eventually(lambda: waiter.woken)
    finally:
        wakeups.stop()
        replicated.thaw("first")


def test_a_write_is_answered_once_a_replica_has_it(replicated: ReplicatedRedis) -> None:
    redis = Redis(replicated.url, wait_replicas=1)
    for number in range(20):
        redis.one("SET", "a", number)
        assert replicated.client("second").get("a") == str(number)


def test_with_sentinels_a_write_waits_for_a_replica_by_default(replicated: ReplicatedRedis) -> None:
    redis = Redis(replicated.url, wait_replicas=None)
    assert (redis.wait_replicas, redis.may_lose_writes, redis.replicas()) == (1, False, {"": 1})
    unsafe = Redis(replicated.url, wait_replicas=0)
    assert (unsafe.wait_replicas, unsafe.may_lose_writes) == (0, True)
    replicated.kill("second")
    with pytest.raises(NotReplicated):
        redis.one("SET", "a", 1)
    assert redis.replicas() == {"": 0}


def test_a_write_without_replicas_is_refused_and_a_read_is_not(replicated: ReplicatedRedis) -> None:
    redis = Redis(replicated.url, wait_replicas=1)
    redis.one("SET", "a", 1)
    replicated.kill("second")
    with pytest.raises(NotReplicated) as refusal:
        redis.run([("SET", "a", 2), ("GET", "a")])
    assert why_not(refusal.value) == "too few replicas confirm writes"
    assert redis.one("GET", "a") == b"2"
    replicated.start("second", "--replicaof", "127.0.0.1", str(replicated.ports["first"]))
    eventually(lambda: _tried(redis, "SET", "a", 3) == b"OK")


def test_a_repeated_move_is_acknowledged_only_once_a_replica_has_it(replicated: ReplicatedRedis) -> None:
    """The first attempt was made on the master alone, where a failover would lose it."""
    world = World(Redis(f"redis://127.0.0.1:{replicated.ports['first']}", wait_replicas=1))
    match = world.match([remote(0), house("first")])
    request = MoveRequest(match, world.legal(match, 0)[0], world.look(match).progress.turn)
    replicated.kill("second")
    for _ in range(3):
        with pytest.raises(NotReplicated):
            world.referee.moves.move("bot-0", request)
    replicated.start("second", "--replicaof", "127.0.0.1", str(replicated.ports["first"]))

    def repeated() -> MoveResult | None:
        with contextlib.suppress(NotReplicated):
            return world.referee.moves.move("bot-0", request)
        return None

    result = eventually(repeated)
    assert result is not None
    assert result.replayed


def test_a_write_that_took_too_long_is_not_acknowledged(
    replicated: ReplicatedRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The master may have been frozen and replaced, while a replica still confirms what it writes."""
    redis = Redis(replicated.url, wait_replicas=1)
    redis.one("SET", "a", 1)
    connections = redis.changes
    with monkeypatch.context() as patch:
        patch.setattr(group_commit, "LATE_S", 0.0)
        with pytest.raises(NotReplicated, match="took so long"):
            redis.one("SET", "a", 2)
        assert redis.one("GET", "a") == b"2"
    assert redis.one("SET", "a", 3) == b"OK"
    assert redis.changes > connections, "the Sentinels are asked whether it is still the master"


@pytest.mark.parametrize("names", ["the server", "the Sentinel"])
def test_a_write_at_a_server_that_became_a_replica_is_one_that_redis_does_not_serve(
    replicated: ReplicatedRedis, names: str
) -> None:
    """WAIT answers with an error there, as it does after `CLUSTER FAILOVER`."""
    url = replicated.url if names == "the Sentinel" else f"redis://127.0.0.1:{replicated.ports['first']}"
    redis = Redis(url, wait_replicas=1)
    redis.one("SET", "a", 1)
    replicated.client("sentinel").execute_command("SENTINEL REMOVE", MASTER)
    replicated.client("first").replicaof("127.0.0.1", replicated.ports["second"])
    with pytest.raises(LostConnection):
        redis.one("SET", "a", 2)


def test_a_write_whose_master_is_demoted_while_it_waits_is_not_acknowledged(
    replicated: ReplicatedRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "WAIT_MS", 60_000)
    redis = Redis(f"redis://127.0.0.1:{replicated.ports['first']}", timeout=60, wait_replicas=1)
    redis.one("SET", "a", 1)
    first = replicated.client("first")
    replicated.freeze("second")
    with ThreadPoolExecutor() as pool:
        write = pool.submit(redis.one, "SET", "a", 2)
        eventually(lambda: first.info("clients")["blocked_clients"] == 1, "the write waits")
        first.replicaof("127.0.0.1", replicated.ports["second"])
        with pytest.raises(WaitRefused):
            write.result()


def test_no_connection_to_a_master_that_is_being_replaced(replicated: ReplicatedRedis) -> None:
    """A master that is back before the Sentinel has found the promoted replica is not used again."""
    redis = Redis(replicated.url)
    redis.one("SET", "a", 1)
    eventually(lambda: replicated.client("second").get("a") == "1")
    replicated.kill("first")
    eventually(lambda: replicated.client("second").info("replication")["role"] == "master")
    replicated.start("first")
    eventually(lambda: _tried(redis, "SET", "b", 2) == b"OK")
    assert replicated.client("second").get("b") == "2"


def test_a_sentinel_address_names_hosts_master_and_credentials() -> None:
    found = sentinel_address("rediss+sentinel://u:p%40@a:1,[::1]:2,b/main?db=3&sentinel_password=s")
    assert found is not None
    assert found.hosts == (("a", 1), ("::1", 2), ("b", 26379))
    assert (found.master, found.redis["db"], found.redis["username"], found.redis["password"]) == (
        "main",
        3,
        "u",
        "p@",
    )
    assert (found.sentinels["password"], found.redis["ssl"]) == ("s", True)
    assert sentinel_address("redis://host") is None


def _tried(redis: Redis, *command: object) -> object:
    with contextlib.suppress(RedisError):
        return redis.one(*command)
    return None
