"""A whole service on a Redis Cluster of six nodes: bots and a ladder play while masters are killed and replaced."""

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
from tests.support.clustered import REPLICAS, ClusteredRedis
from tests.support.live import LiveService
from tests.support.waiting import eventually

PATIENCE_S = 300.0
MATCHES = 12

pytestmark = [pytest.mark.live, pytest.mark.soak]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusteredRedis]:
    with ClusteredRedis(tmp_path) as servers:
        yield servers


@pytest.fixture
def service(
    live_service: Callable[..., LiveService], cluster: ClusteredRedis, tmp_path: Path
) -> Iterator[LiveService]:
    queue = EmbeddedRedis(tmp_path / "queue", appendfsync="no").start()
    settings = {
        "KOZYR_REDIS_CLUSTER": "yes",
        "KOZYR_QUEUE_REDIS_URL": queue.url,
        "KOZYR_WAIT_REPLICAS": "1",
        "KOZYR_TICK_MS": "50",
    }
    try:
        yield live_service(["api", "clock", "worker"], settings=settings, redis_url=cluster.url)
    finally:
        queue.kill()


def test_a_league_on_a_cluster_outlives_its_masters(service: LiveService, cluster: ClusteredRedis) -> None:
    """No acknowledged move is lost, records replay, and a ladder counts each match once."""
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
