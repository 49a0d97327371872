"""The scripts of the Kubernetes overlay `sentinel` start servers and Sentinels that keep their roles and lose no
acknowledged write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sentinel_pods import SENTINELS, SERVERS, SentinelPods
from tests.support.waiting import eventually

pytestmark = pytest.mark.ci


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[SentinelPods]:
    """Servers and Sentinels after their first start."""
    with SentinelPods(tmp_path) as started:
        started.start(*SERVERS, *SENTINELS)
        eventually(lambda: started.settled("redis-0"), "the first server is the master")
        yield started


def write(pods: SentinelPods, value: str) -> None:
    """Store a value that a replica confirms."""
    master = pods.master()
    assert master is not None
    assert pods.command(master, "SET", "key", value)
    assert pods.command(master, "WAIT", 1, 5000) >= 1


def promote_another(pods: SentinelPods) -> str:
    """Kill the master and return the one that the Sentinels choose, once the third server follows it."""
    before = pods.master()
    assert before is not None
    pods.kill(before)

    def chosen() -> str | None:
        now = pods.master()
        if now in (None, before):
            return None
        role = pods.command(str(now), "ROLE")
        return now if role and role[0] == "master" and role[2] else None

    return str(eventually(chosen, "the Sentinels replace the master"))


def values(pods: SentinelPods) -> list[object]:
    return [pods.command(name, "GET", "key") for name in SERVERS]


def test_after_an_outage_of_all_pods_the_promoted_server_is_still_the_master(pods: SentinelPods) -> None:
    """Its servers need no Sentinel to know their roles."""
    write(pods, "before")
    master = promote_another(pods)
    write(pods, "after")
    pods.kill(*pods.running)
    pods.start("redis-1", "redis-2")
    eventually(lambda: sorted(pods.roles().values()) == ["master", "slave"], "both serve")
    assert pods.roles()[master] == "master"
    pods.start("redis-0", *SENTINELS)
    eventually(lambda: pods.settled(master), "all follow the promoted server")
    assert values(pods) == ["after"] * 3


def test_an_empty_server_never_replaces_a_master_with_data(pods: SentinelPods) -> None:
    """A master that lost its volume starts before the Sentinels miss it."""
    write(pods, "kept")
    pods.kill("redis-0")
    pods.lose_volume("redis-0")
    pods.start("redis-0")
    eventually(pods.settled, "another server is the master")
    assert pods.master() != "redis-0"
    assert values(pods) == ["kept"] * 3


def test_an_empty_server_and_an_outdated_sentinel_follow_the_others_after_an_outage(
    pods: SentinelPods,
) -> None:
    """The Sentinel that missed the failover still names the first server, but with an older epoch."""
    pods.kill("sentinel-0")
    master = promote_another(pods)
    write(pods, "kept")
    pods.kill(*pods.running)
    pods.lose_volume("redis-0")
    pods.start(*SENTINELS, *SERVERS)
    eventually(lambda: pods.settled(master), "all follow the promoted server")
    assert values(pods) == ["kept"] * 3


def test_a_sentinel_that_lost_its_volume_is_known_by_its_old_id(pods: SentinelPods) -> None:
    """Otherwise the others would count it twice, and miss its old id in every failover."""
    master = promote_another(pods)
    pods.start("redis-0")
    pods.kill("sentinel-0")
    pods.lose_volume("sentinel-0")
    pods.start("sentinel-0")
    eventually(lambda: pods.settled(master), "three Sentinels agree")
