"""A failover of a real cluster to a replica that lacked writes, with `KOZYR_WAIT_REPLICAS=0`: what it leaves is found
and repaired, and the league goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from redis.exceptions import RedisError

from league.consistency.model import Contradiction
from redisio.connection import Redis
from tests.support.clustered import REPLICAS, ClusteredRedis
from tests.support.league import LeagueWorld, WallClock
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusteredRedis]:
    with ClusteredRedis(tmp_path_factory.mktemp("failover")) as servers:
        yield servers


def play(league: LeagueWorld, ladder: str) -> None:
    """Play a round and rate it."""
    league.finish(ladder, league.rounds.start(ladder).number)
    for preset in league.ratings.presets():
        league.ratings.catch_up(preset)


def fall_back(cluster: ClusteredRedis, master: str, replica: str, redis: Redis) -> None:
    """Let a replica that was down take the place of its master."""
    cluster.kill(master)
    cluster.start(replica)
    eventually(lambda: cluster.is_master(replica), "the replica takes over")
    cluster.start(master)
    eventually(cluster.serves, "the cluster is whole")
    eventually(lambda: answers(redis), "the connection knows the new master")


def answers(redis: Redis) -> bool:
    with contextlib.suppress(RedisError):
        redis.run([("GET", f"k{number}") for number in range(100)])
        return True
    return False


@pytest.mark.ci
@pytest.mark.parametrize(("replica", "master"), REPLICAS.items())
@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_a_league_goes_on_after_a_failover_that_lost_writes_was_repaired(
    cluster: ClusteredRedis, replica: str, master: str, decks: str
) -> None:
    old, new = (replica, master) if cluster.is_master(master) else (master, replica)
    with contextlib.closing(Redis(cluster.url_of(*cluster.names), cluster=True, wait_replicas=0)) as redis:
        for name in cluster.names:
            if cluster.is_master(name):
                cluster.command(name, "FLUSHALL")
        league = LeagueWorld(redis, WallClock())
        ladder = league.ladder("a1", "a2", "a3", "a4", decks=decks, rated=True).id
        play(league, ladder)
        assert list(league.consistency.findings()) == [], "whole data contradict nothing"
        cluster.command(new, "WAIT", 1, 60_000)
        cluster.kill(old)
        play(league, ladder)
        started = league.rounds.start(ladder).number
        league.rounds.work(ladder, started, 0.0)
        fall_back(cluster, new, old, redis)
        league = LeagueWorld(redis, WallClock())
        assert list(league.consistency.findings()), "a part of the data is older"
        mended: list[Contradiction] = []
        assert league.consistency.repair(mended.append) == []
        assert mended
        assert list(league.consistency.findings()) == []
        assert league.consistency.repair(mended.append) == []
        league.run()
        for number in league.ladders.store.rounds_under_way(ladder):
            league.finish(ladder, number)
        league.run()
        assert league.ladders.store.rounds_under_way(ladder) == [], "no round runs for ever"
        play(league, ladder)
        assert list(league.consistency.findings()) == []
