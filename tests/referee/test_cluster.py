"""Round trips to a Redis Cluster of six nodes: slots move, masters die, hang and lose their role."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as redis_py
from redis.crc import key_slot
from redis.exceptions import ClusterCrossSlotError, RedisError
from redis.exceptions import ConnectionError as LostConnection

from redisio.address import client_for, node_url
from redisio.connection import WAKE_CHANNEL, Redis, scan
from redisio.errors import NotReplicated, NotServing
from redisio.hosts import Node, cluster_nodes
from redisio.rate_counters import COUNT
from redisio.scripts import Command
from redisio.server import info_fields
from referee.polling.hub import Hub
from referee.polling.redis import WakeupListener
from referee.service.redis import RedisService
from referee.service.state import ServiceState, Space
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_index import RedisMatchIndex
from tests.referee.world import at_once
from tests.support.clustered import MASTERS, REPLICAS, ClusteredRedis
from tests.support.ports import free_port
from tests.support.waiting import eventually

pytestmark = pytest.mark.ci

PATIENT_S = 60.0
"""A timeout that no test reaches."""


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusteredRedis]:
    """A cluster for tests that leave it as it is."""
    with ClusteredRedis(tmp_path_factory.mktemp("quiet")) as servers:
        yield servers


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusteredRedis]:
    with ClusteredRedis(tmp_path) as servers:
        yield servers


@contextlib.contextmanager
def connected(servers: ClusteredRedis, name: str = "a", **options: Any) -> Iterator[Redis]:
    with contextlib.closing(Redis(servers.url_of(name), cluster=True, **options)) as redis:
        yield redis


def tried(redis: Redis, *command: object) -> object:
    with contextlib.suppress(RedisError):
        return redis.one(*command)
    return None


def run_or_fail(redis: Redis, commands: list[Command]) -> None:
    with contextlib.suppress(RedisError):
        redis.run(commands)


def counting(key: str) -> Command:
    """Return a script that increments a key and returns a list with its new value first."""
    return COUNT.call((key,), 1, 600_000)


def forget_scripts(servers: ClusteredRedis, *names: str) -> None:
    for name in names or MASTERS:
        servers.command(name, "SCRIPT FLUSH")


def listeners(servers: ClusteredRedis, name: str) -> int:
    """Return how many connections of a node listen to wake-ups."""
    return int(servers.command(name, "PUBSUB NUMSUB", WAKE_CHANNEL)[0][1])


def subscriptions(servers: ClusteredRedis) -> set[tuple[str, str]]:
    """Return the ids of all connections that listen, with their nodes."""
    found = set()
    for name in servers.names:
        with servers.client(name) as client:
            found |= {(name, each["id"]) for each in client.client_list(_type="pubsub")}
    return found


def begin_move(servers: ClusteredRedis, slot: int, source: str, target: str) -> None:
    """Begin to move a slot, without its keys."""
    servers.command(target, "CLUSTER SETSLOT", slot, "IMPORTING", servers.ident(source))
    servers.command(source, "CLUSTER SETSLOT", slot, "MIGRATING", servers.ident(target))


def end_move(servers: ClusteredRedis, slot: int, source: str, target: str) -> None:
    """Move the keys that the source has, and the slot."""
    for key in servers.command(source, "CLUSTER GETKEYSINSLOT", slot, 100):
        servers.command(source, "MIGRATE", "127.0.0.1", servers.ports[target], key, 0, 5000)
    for name in (target, source):
        servers.command(name, "CLUSTER SETSLOT", slot, "NODE", servers.ident(target))


# --- answers ---


def test_callers_of_all_nodes_get_their_own_answers(quiet: ClusteredRedis) -> None:
    def mine(name: int) -> None:
        for step in range(30):
            wanted = [b"%d %d %d" % (name, step, key) for key in range(step % 4 + 1)]
            written = [("SET", f"c{name}:{key}", text) for key, text in enumerate(wanted)]
            read = [("GET", f"c{name}:{key}") for key in range(len(wanted))]
            assert redis.run([*written, *read])[len(wanted) :] == wanted

    with connected(quiet) as redis:
        assert at_once(*[lambda n=n: mine(n) for n in range(40)]) == [None] * 40


def test_a_command_without_keys_can_go_to_each_master(quiet: ClusteredRedis) -> None:
    with connected(quiet, "x") as redis:  # any node names the others
        answers = redis.run([("SET", "a", 1), *redis.on_masters("INFO", "server"), ("GET", "a")])
    assert (answers[0], answers[-1]) == (b"OK", b"1")
    ports = {int(info_fields(answer)["tcp_port"]) for answer in answers[1:-1]}
    assert ports == {quiet.ports[name] for name in MASTERS}


def test_a_scan_finds_the_keys_of_every_master(quiet: ClusteredRedis) -> None:
    keys = {f"{quiet.key_at(name)}:scanned:{n}" for name in MASTERS for n in range(3)}
    with connected(quiet) as redis:
        redis.all([("SET", key, 1) for key in keys])
        assert {key for batch in scan(redis, "*:scanned:*") for key in batch} == keys


def test_a_command_without_keys_goes_to_the_node_of_the_command_before_it(quiet: ClusteredRedis) -> None:
    with connected(quiet) as redis:
        for name in MASTERS:
            _, info = redis.run([("GET", quiet.key_at(name)), ("INFO", "server")])
            assert int(info_fields(info)["tcp_port"]) == quiet.ports[name]


def test_nobody_is_woken_before_the_change(quiet: ClusteredRedis) -> None:
    keys = [quiet.key_at(name, "w") for name in MASTERS]
    with connected(quiet) as redis, contextlib.closing(redis.listening_client()) as listening:
        channel: Any = listening.pubsub()
        channel.subscribe("woken")
        channel.parse_response()
        for step in range(1, 21):
            forget_scripts(quiet)
            first, *others = [counting(key) for key in keys]
            redis.run([first, ("PUBLISH", "woken", step), *others])
            channel.parse_response()
            for name, key in zip(MASTERS, keys, strict=True):
                assert quiet.command(name, "GET", key) == str(step)


# --- scripts ---


def test_every_node_loads_the_scripts_that_it_does_not_know(quiet: ClusteredRedis) -> None:
    with connected(quiet) as redis:
        for turn in (1, 2):
            forget_scripts(quiet)
            commands = [each for n in range(30) for each in (counting(f"s{n}"), ("INCR", f"s{n}:beside"))]
            answers = redis.run(commands)
            assert [answer[0] for answer in answers[::2]] == [turn] * 30
            assert answers[1::2] == [turn] * 30


def test_a_script_with_keys_in_two_slots_is_an_error_of_the_command(quiet: ClusteredRedis) -> None:
    with connected(quiet) as redis:
        crossing = COUNT.call(("one", "another"), 1, 60_000)
        assert isinstance(redis.run([crossing, ("PING",)])[0], ClusterCrossSlotError)


# --- slots that move ---


def test_a_slot_that_moves_is_followed_key_by_key(cluster: ClusteredRedis) -> None:
    slot, source = key_slot(b"k"), cluster.master_of("{k}")
    target = next(name for name in MASTERS if name != source)
    with connected(cluster) as redis:
        assert redis.run([counting("{k}old"), ("INCR", "{k}one")])[1] == 1
        begin_move(cluster, slot, source, target)
        forget_scripts(cluster)
        # ASK: a key that the source does not have belongs to the target.
        assert redis.run([counting("{k}new"), counting("{k}old")])[0][0] == 1
        assert cluster.command(source, "EXISTS", "{k}old") == 1
        with pytest.raises(redis_py.exceptions.AskError):
            cluster.command(source, "GET", "{k}new")
        end_move(cluster, slot, source, target)
        # MOVED: everything belongs to the target.
        counted = [counting("{k}new"), counting("{k}old"), ("INCR", "{k}one")]
        assert [redis.run([command])[0] for command in counted][2] == 2
        assert cluster.command(target, "MGET", "{k}new", "{k}old", "{k}one") == ["2", "3", "2"]


def test_a_script_is_refused_while_its_keys_are_on_two_nodes(cluster: ClusteredRedis) -> None:
    slot, source = key_slot(b"k"), cluster.master_of("{k}")
    target = next(name for name in MASTERS if name != source)
    with connected(cluster) as redis:
        redis.run([("SET", "{k}1", 1), ("SET", "{k}2", 2)])
        begin_move(cluster, slot, source, target)
        cluster.command(source, "MIGRATE", "127.0.0.1", cluster.ports[target], "{k}1", 0, 5000)
        with pytest.raises(NotServing) as refusal:
            redis.one("MGET", "{k}1", "{k}2")
        assert refusal.value.word == "TRYAGAIN"
        end_move(cluster, slot, source, target)
        assert redis.one("MGET", "{k}1", "{k}2") == [b"1", b"2"]


# --- the nodes that the address names ---


def test_any_node_that_answers_names_the_others(cluster: ClusteredRedis) -> None:
    key = cluster.key_at("b")
    cluster.kill("a")
    eventually(lambda: cluster.is_master("x"), "the replica takes over")
    eventually(lambda: cluster.serves("xbc"), "the cluster serves")
    with contextlib.closing(Redis(cluster.url_of(*"ab"), cluster=True)) as redis:
        assert redis.run([("SET", key, 1), ("SET", cluster.key_at("a"), 2)]) == [b"OK", b"OK"]


def test_a_node_that_hangs_is_not_waited_for_at_the_start(cluster: ClusteredRedis) -> None:
    key = cluster.key_at("b")
    cluster.freeze("x")
    with contextlib.closing(Redis(cluster.url_of(*"xb"), cluster=True, timeout=PATIENT_S)) as redis:
        assert redis.one("SET", key, 1) == b"OK"


def test_an_error_names_all_nodes_that_were_tried() -> None:
    ports = [free_port(), free_port()]
    nodes = [f"127.0.0.1:{port}" for port in ports]
    with contextlib.closing(Redis(f"redis://u:hidden@{','.join(nodes)}", cluster=True)) as redis:
        with pytest.raises(LostConnection) as failure:
            redis.one("GET", "k")
        for node in nodes:
            assert f"{node} (Error" in str(failure.value)
        assert "hidden" not in str(failure.value)


def test_an_address_names_nodes_with_one_login() -> None:
    nodes = cluster_nodes("redis://u:p%40,w@a:7000,[::1]:7001,b,a:7000/0")
    assert nodes == (Node("a", 7000), Node("::1", 7001), Node("b", 6379))
    assert node_url("redis://u:p%40,w@a,b/0", nodes[1]) == "redis://u:p%40,w@[::1]:7001/0"
    assert node_url("rediss://a,b", nodes[0]) == "rediss://a:7000"


# --- nodes that fail ---


def test_play_goes_on_after_a_master_was_killed(cluster: ClusteredRedis) -> None:
    key, script = cluster.key_at("a"), cluster.key_at("a", "script")
    with connected(cluster) as redis:  # the address names the master that dies
        redis.run([("SET", key, 1), counting(script)])
        eventually(lambda: cluster.command("x", "CLUSTER COUNTKEYSINSLOT", key_slot(key.encode())) == 1)
        cluster.kill("a")
        eventually(lambda: tried(redis, "GET", key) == b"1", "the replica serves")
        assert cluster.is_master("x")
        forget_scripts(cluster, "x")
        assert redis.run([counting(script)])[0][0] == 2


@pytest.mark.parametrize("wait_replicas", [0, 1])
def test_a_master_that_is_demoted_and_stays_alive_is_left_without_an_error(
    cluster: ClusteredRedis, wait_replicas: int
) -> None:
    key = cluster.key_at("b")
    with connected(cluster, wait_replicas=wait_replicas) as redis:
        for number, replica in enumerate(("y", "b", "y"), 1):
            redis.run([counting(key)])
            cluster.fail_over(replica)
            assert redis.run([counting(key)])[0][0] == 2 * number
        assert cluster.command("y", "GET", key) == "6"


def test_a_node_that_hangs_delays_only_the_commands_for_it(cluster: ClusteredRedis) -> None:
    hung, other = cluster.key_at("b"), cluster.key_at("c")
    with connected(cluster, timeout=PATIENT_S) as redis:
        redis.run([("SET", hung, 1), ("SET", other, 1)])
        cluster.freeze("b")
        both = [("INCR", hung), ("GET", other)]
        waiting = [threading.Thread(target=run_or_fail, args=(redis, both), daemon=True) for _ in range(4)]
        for thread in waiting:
            thread.start()
        eventually(lambda: tried(redis, "GET", other) == b"1", "other nodes serve")
        # A replica takes over, so nobody waits for the timeout.
        eventually(lambda: tried(redis, "GET", hung) is not None, "the replica serves")
        for thread in waiting:
            thread.join(60)
            assert not thread.is_alive()
        cluster.thaw("b")
        eventually(lambda: not cluster.is_master("b"), "the old master follows")
        assert redis.run([("SET", hung, 2), ("GET", hung)]) == [b"OK", b"2"]


def test_the_state_of_the_service_is_read_while_another_master_is_down(cluster: ClusteredRedis) -> None:
    state = cluster.master_of("kozyr:{service}:state")
    dead = next(name for name in MASTERS if name != state)
    for name in cluster.names:
        cluster.command(name, "CONFIG SET", "cluster-require-full-coverage", "no")
    with connected(cluster) as redis:
        service = RedisService(redis, RedisMatchStore(redis))
        assert service.status().state is ServiceState.RUNNING
        for name in cluster.names:
            cluster.command(name, "CONFIG SET", "cluster-node-timeout", 600_000)
        cluster.kill(dead)
        status = service.status()
        assert (status.state, status.space) == (ServiceState.RUNNING, Space.AMPLE)


def test_cursors_outlast_no_restart_of_any_node(cluster: ClusteredRedis) -> None:
    noted = "kozyr:epoch-run"
    replica, master = next(pair for pair in REPLICAS.items() if pair[1] != cluster.master_of(noted))
    with connected(cluster) as redis:
        index = RedisMatchIndex(redis, RedisMatchStore(redis))
        wakeups = WakeupListener(Hub(), redis, sweep_s=0.01, connected=index.connected)
        wakeups.start()
        try:
            before = eventually(lambda: tried(redis, "GET", noted))
            cluster.fail_over(replica)
            redis.one("GET", cluster.key_at(master))
            eventually(lambda: tried(redis, "GET", noted) not in (None, before), "it is noted")
        finally:
            wakeups.stop()


@pytest.mark.parametrize("hung", ["b", "y"])
def test_wake_ups_arrive_again_after_the_node_of_the_subscription_hangs(
    cluster: ClusteredRedis, monkeypatch: pytest.MonkeyPatch, hung: str
) -> None:
    hub = Hub()
    with connected(cluster, timeout=1.0) as redis, hub.registered("match") as waiter:
        clients = iter([client_for(cluster.url_of(hung), timeout=5.0)])
        anywhere = redis.listening_client
        monkeypatch.setattr(redis, "listening_client", lambda: next(clients, None) or anywhere())
        wakeups = WakeupListener(hub, redis, sweep_s=3_600, silence_s=0.2)
        wakeups.start()
        try:
            eventually(lambda: listeners(cluster, hung) == 1, "it listens to this node")
            cluster.freeze(hung)
            others = [name for name in cluster.names if name != hung]
            eventually(lambda: any(listeners(cluster, name) for name in others), "it listens to another")
            eventually(lambda: waiter.woken, "a subscription wakes all, since wake-ups may be lost")
            waiter.clear()
            cluster.command("c", "PUBLISH", WAKE_CHANNEL, "match")
            eventually(lambda: waiter.woken)
        finally:
            wakeups.stop()
            cluster.thaw(hung)


def test_the_wake_up_listener_subscribes_again_when_the_masters_change(cluster: ClusteredRedis) -> None:
    """The node of the subscription may have left the cluster. It still answers, but no wake-up arrives there."""
    with connected(cluster) as redis:
        redis.run(redis.on_masters("PING"))
        wakeups = WakeupListener(Hub(), redis, sweep_s=3_600, silence_s=0.05)
        wakeups.start()
        try:
            before = eventually(lambda: subscriptions(cluster), "it listens")
            cluster.fail_over("y")
            redis.one("GET", cluster.key_at("b"))
            eventually(lambda: subscriptions(cluster) - before, "it has subscribed again")
        finally:
            wakeups.stop()


# --- replicas ---


def test_a_cluster_with_replicas_waits_for_one_by_default(cluster: ClusteredRedis) -> None:
    for name in ("x", "y", "z"):
        cluster.kill(name)
    with connected(cluster, wait_replicas=None) as redis:
        assert (redis.wait_replicas, redis.may_lose_writes) == (1, False), "though all are down"
        with pytest.raises(NotReplicated):
            redis.one("SET", "a", 1)
    with connected(cluster, wait_replicas=0) as redis:
        assert redis.one("SET", "a", 1) == b"OK"
        assert (redis.wait_replicas, redis.may_lose_writes) == (0, True)


def test_a_write_is_refused_only_on_a_node_without_replicas(cluster: ClusteredRedis) -> None:
    lonely, other = cluster.key_at("a"), cluster.key_at("b")
    with connected(cluster, wait_replicas=1) as redis:
        redis.run([("SET", lonely, 1), ("SET", other, 1)])
        cluster.kill("x")
        with pytest.raises(NotReplicated):
            redis.one("SET", lonely, 2)
        assert redis.run([("GET", lonely), ("SET", other, 2)]) == [b"2", b"OK"]


@pytest.mark.parametrize("lonely", ["x", "y", "z"])
def test_what_others_wrote_is_confirmed_only_with_a_replica_of_every_master(
    cluster: ClusteredRedis, lonely: str
) -> None:
    with connected(cluster) as other, connected(cluster, wait_replicas=1) as redis:
        cluster.kill(lonely)
        other.run([("SET", cluster.key_at(name), 1) for name in MASTERS])
        with pytest.raises(NotReplicated):
            redis.confirm()
        cluster.start(lonely)
        eventually(lambda: confirmed(redis))
        with cluster.client(lonely) as client:
            client.readonly()
            assert client.get(cluster.key_at(REPLICAS[lonely])) == "1"


def confirmed(redis: Redis) -> bool:
    with contextlib.suppress(NotReplicated):
        redis.confirm()
        return True
    return False


# --- the slot map ---
