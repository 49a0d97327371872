"""A whole service on a Redis Cluster of six nodes: it starts while a master is down, and bots and a ladder play while
masters are killed and replaced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from kozyr.container.production import Container
from kozyr.serve.embedded import EmbeddedRedis
from league.ladders.model import RoundState
from tests.live.law import replay
from tests.live.league import LiveLeague, LivePlayer, players
from tests.support.clustered import MASTERS, REPLICAS, ClusteredRedis
from tests.support.live import LiveService
from tests.support.waiting import eventually

PATIENCE_S = 300.0
MATCHES = 12

pytestmark = pytest.mark.live


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusteredRedis]:
    with ClusteredRedis(tmp_path) as servers:
        yield servers


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The settings of a service on the cluster, whose queue is another Redis."""
    queue = EmbeddedRedis(tmp_path / "queue", appendfsync="no").start()
    try:
        yield {"KOZYR_REDIS_CLUSTER": "yes", "KOZYR_QUEUE_REDIS_URL": queue.url, "KOZYR_TICK_MS": "50"}
    finally:
        queue.kill()


def test_a_service_starts_while_the_first_node_of_its_address_is_down(
    live_service: Callable[..., LiveService], cluster: ClusteredRedis, settings: dict[str, str]
) -> None:
    for name in MASTERS:
        cluster.freeze(name)
    service = live_service((), settings=settings, redis_url=cluster.url_of(*MASTERS))
    service.start("clock", wait=False)
    eventually(lambda: "waiting for Redis" in service.log("clock"), PATIENCE_S, "the clock waits")
    for name in MASTERS:
        assert f"127.0.0.1:{cluster.ports[name]} (" in service.log("clock")
        cluster.thaw(name)
    cluster.kill("a")
    eventually(lambda: cluster.is_master("x"), PATIENCE_S, "the replica takes over")
    service.start("api")
    league = LiveLeague(service)
    match = league.match([league.bot("first"), league.bot("second")])
    assert league.get(f"/v1/matches/{match}")["id"] == match


@pytest.mark.soak
def test_a_league_on_a_cluster_outlives_its_masters(
    live_service: Callable[..., LiveService], cluster: ClusteredRedis, settings: dict[str, str]
) -> None:
    """No acknowledged move is lost, records replay, and a ladder counts each match once."""
    settings["KOZYR_WAIT_REPLICAS"] = "1"
    service = live_service(["api", "clock", "worker"], settings=settings, redis_url=cluster.url)
    parts = Container(service.settings)
    ladder = parts.ladders.create(
        "owner", "quick", game="durak", seats=2, deals=2, decks="independent", repeats=100
    ).id
    for bot in ("random", "greedy"):
        parts.ladders.enter(ladder, parts.accounts.bot("house", bot))
    league = LiveLeague(service)
    bots = [league.bot(f"bot{number}") for number in range(4)]
    matches = [league.match([bots[n % 4], bots[(n + 1) % 4]], deals=4) for n in range(MATCHES)]
    parts.rounds.start(ladder)
    with players(service, bots, matches) as playing:
        for replica, master in REPLICAS.items():
            before = [len(player.sent) for player in playing]
            cluster.kill(master)
            eventually(partial(cluster.is_master, replica), 60, f"{replica} takes over")
            cluster.start(master)
            eventually(cluster.serves, 60, "the cluster is whole")
            eventually(partial(_all_go_on, playing, before), PATIENCE_S, "all bots move again")
        for player in playing:
            player.join(PATIENCE_S)
    chosen = defaultdict(set)
    for player in playing:
        for sent in player.sent:
            chosen[sent.match, sent.turn].add(sent.move)
    for match in matches:
        for move in replay(league.record(match)):
            assert move.turn is None or move.move in chosen[match, move.turn]
    eventually(lambda: parts.ladders.round(ladder, 1).state is RoundState.DONE, PATIENCE_S, "the round ends")
    standings = league.get(f"/v1/ladders/{ladder}/standings")["standings"]
    assert [line["matches"] for line in standings] == [100, 100]


def _all_go_on(playing: list[LivePlayer], before: list[int]) -> bool:
    """Return whether each bot has moved twice more or ended its matches."""
    return all(
        len(player.sent) >= count + 2 or player.ended for player, count in zip(playing, before, strict=True)
    )
