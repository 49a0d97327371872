"""A whole service on a Redis Cluster of six nodes: it starts while a master is down, and bots and a ladder play while
masters are killed and replaced."""

from __future__ import annotations

import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from kozyr_client import KozyrError
from league.ladders.model import RoundState
from league.ladders.settings import LadderSettings
from records.ids import bucket_of
from referee.storage.redis import clock_key
from server.container import Container
from server.embedded import EmbeddedRedis
from tests.live.law import Evidence, Outage, judge, lost_moves, replay
from tests.live.league import LiveLeague, LivePlayer, play_out, players
from tests.live.soak import SETTINGS, Soak
from tests.support.clustered import MASTERS, REPLICAS, ClusteredRedis
from tests.support.fault_proxy import FaultProxy
from tests.support.live import LiveService
from tests.support.waiting import eventually

PATIENCE_S = 300.0
MATCHES = 12
OUTAGE_S = 2.0

pytestmark = [pytest.mark.ci, pytest.mark.live]


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
    settings["KOZYR_WAIT_REPLICAS"] = "0"  # the replica that takes over has none
    for name in MASTERS:
        cluster.freeze(name)
    service = live_service((), settings=settings, redis_url=cluster.url_of(*MASTERS))
    service.start("clock", wait=False)
    eventually(lambda: "waiting for Redis" in service.log("clock"), "the clock waits")
    for name in MASTERS:
        assert f"127.0.0.1:{cluster.ports[name]} (" in service.log("clock")
        cluster.thaw(name)
    cluster.kill("a")
    eventually(lambda: cluster.is_master("x"), "the replica takes over")
    service.start("api")
    league = LiveLeague(service)
    match = league.match([league.bot("first"), league.bot("second")])
    assert league.get(f"/v1/matches/{match}")["id"] == match


def test_a_copy_of_all_nodes_of_a_stopped_service_brings_it_back(
    live_service: Callable[..., LiveService], cluster: ClusteredRedis, settings: dict[str, str]
) -> None:
    """The drill of docs/operations.md: `kozyr backup` refuses a Redis Cluster."""
    service = live_service(["api"], settings=settings, redis_url=cluster.url)
    league = LiveLeague(service)
    bots = [league.bot("first"), league.bot("second")]
    over, running = (league.match(bots) for _ in range(2))
    play_out(service, bots, [over], PATIENCE_S)
    before = league.record(over), league.get(f"/v1/matches/{running}")["turn"]
    service.terminate("api")
    backup = cluster.folder / "backup"
    for name in cluster.names:
        shutil.copytree(cluster.folder / name, backup / name)
    for name in cluster.names:
        cluster.kill(name)
        shutil.rmtree(cluster.folder / name)
    for name in cluster.names:
        shutil.copytree(backup / name, cluster.folder / name)
        cluster.start(name)
    eventually(cluster.serves, "the cluster is whole")
    service.start("api")
    assert (league.record(over), league.get(f"/v1/matches/{running}")["turn"]) == before
    play_out(service, bots, [running], PATIENCE_S)
    verified = CliRunner().invoke(main, ["verify", f"{service.url}/v1/records", "--whole"])
    assert verified.exit_code == 0, verified.output


@pytest.mark.soak
def test_a_league_on_a_cluster_outlives_its_masters(
    live_service: Callable[..., LiveService], cluster: ClusteredRedis, settings: dict[str, str]
) -> None:
    """Bots play on, records replay with moves that they chose, and a ladder counts each match once."""
    settings["KOZYR_WAIT_REPLICAS"] = "1"
    service = live_service(["api", "clock", "worker"], settings=settings, redis_url=cluster.url)
    parts = Container(service.settings)
    ladder = parts.ladders.create(
        "owner", LadderSettings("quick", "durak", 2, deals=2, decks="independent", repeats=100)
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
            eventually(partial(cluster.is_master, replica), f"{replica} takes over")
            cluster.start(master)
            eventually(cluster.serves, "the cluster is whole")
            eventually(partial(_all_go_on, playing, before), "all bots move again")
        for player in playing:
            player.join(PATIENCE_S)
    chosen = defaultdict(set)
    for player in playing:
        for sent in player.sent:
            chosen[sent.match, sent.turn].add(sent.move)
    for match in matches:
        for move in replay(league.record(match)):
            assert move.turn is None or move.move in chosen[match, move.turn]
    eventually(lambda: parts.ladders.round(ladder, 1).state is RoundState.DONE, "the round ends")
    standings = league.get(f"/v1/ladders/{ladder}/standings")["standings"]
    assert [line["matches"] for line in standings] == [100, 100]


def outlive_masters(service: LiveService, cluster: ClusteredRedis, proxy: FaultProxy, seed: int) -> Soak:
    """Let bots play while each master is replaced by a replica that missed its last writes.

    Such a replica is down before its master dies, and starts afterwards. Outages have the names of the masters."""
    run = Soak(service, proxy, seed, dirty_reads=True)
    with run.playing():
        seated = run.seat(MATCHES)
        for replica, master in REPLICAS.items():
            if run.over(seated):
                seated.update(run.seat(MATCHES))
            cluster.kill(replica)
            requests = len(proxy.journal) + 150
            eventually(lambda: len(proxy.journal) >= requests or run.over(seated), "bots go on")  # noqa: B023
            cluster.kill(master)
            began = time.monotonic()
            time.sleep(OUTAGE_S)  # the length of an outage is a subject of the test
            run.trouble.outages.append(Outage(master, began, time.monotonic()))
            cluster.start(replica)
            eventually(partial(cluster.is_master, replica), f"{replica} takes over")
            cluster.start(master)
            eventually(cluster.serves, "the cluster is whole")
        eventually(lambda: run.over(seated), "every bot hears that its matches are over")
    return run


def lost(run: Soak, match: str, evidence: Evidence) -> int:
    """Return how many acknowledged moves of a match are lost: at least one if it runs again after its end."""
    try:
        return lost_moves(run.owner.record(match), evidence)
    except KozyrError as error:
        if error.code != "record_not_ready":
            raise
        return 1


@pytest.mark.soak
@pytest.mark.parametrize("wait_replicas", [1, 0])
def test_only_without_wait_are_acknowledged_moves_lost_with_masters_whose_replicas_lag(
    live_service: Callable[..., LiveService],
    cluster: ClusteredRedis,
    settings: dict[str, str],
    wait_replicas: int,
) -> None:
    """Without `KOZYR_WAIT_REPLICAS` moves are lost, which shows that the test would see a loss."""
    settings |= SETTINGS | {"KOZYR_WAIT_REPLICAS": str(wait_replicas)}
    service = live_service(["api", "clock", "worker"], settings=settings, redis_url=cluster.url)
    with FaultProxy(service.port, seed=5, rate=0.0) as proxy:
        run = outlive_masters(service, cluster, proxy, 5)
    evidence = Evidence(proxy.journal, dirty_reads=True)
    if not wait_replicas:
        assert sum(lost(run, match, evidence) for match in run.created), "the control must lose some moves"
        return
    for match in run.created:
        record = run.owner.record(match)
        master = cluster.master_of(clock_key(bucket_of(match)))
        outages = [outage for outage in run.trouble.outages if outage.what == master]
        run.verdicts.append(judge(record, evidence, run.created[match], outages))
    assert sum(verdict.acknowledged for verdict in run.verdicts) > 100
    assert sum(verdict.credited for verdict in run.verdicts) > 0, "clocks stood still"


def _all_go_on(playing: list[LivePlayer], before: list[int]) -> bool:
    """Return whether each bot has moved twice more or ended its matches."""
    return all(
        len(player.sent) >= count + 2 or player.ended for player, count in zip(playing, before, strict=True)
    )
