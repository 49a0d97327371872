"""A whole service on three Redis servers and three Sentinels, which also hold its queue: masters are killed and frozen
while bots and a ladder play."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from league.ladders.settings import LadderSettings
from server.container import Container
from tests.live.law import Evidence, Outage, judge
from tests.live.soak import SETTINGS, Soak
from tests.support.fault_proxy import FaultProxy
from tests.support.live import LiveService
from tests.support.sentinels import SENTINELS, SERVERS, Sentinels
from tests.support.waiting import eventually

REPEATS = 100
"""The matches of a round of the ladder."""

pytestmark = [pytest.mark.ci, pytest.mark.live]


@pytest.fixture
def sentinels(tmp_path: Path) -> Iterator[Sentinels]:
    with Sentinels(tmp_path) as started:
        started.start(*SERVERS, *SENTINELS)
        eventually(lambda: replicas(started) == 2, "the others follow the first server")
        # A Sentinel looks for replicas when it starts, and then every ten seconds.
        started.kill(*SENTINELS)
        started.start(*SENTINELS)
        eventually(started.settled, "the Sentinels know all servers")
        yield started


@pytest.fixture
def service(live_service: Callable[..., LiveService], sentinels: Sentinels) -> LiveService:
    settings = {**SETTINGS, "KOZYR_QUEUE_REDIS_URL": f"{sentinels.url}&db=1", "KOZYR_WAIT_REPLICAS": "1"}
    return live_service(["api", "clock", "worker"], settings=settings, redis_url=sentinels.url)


def replicas(sentinels: Sentinels) -> int:
    """Return how many replicas the first server has."""
    role = sentinels.command(SERVERS[0], "ROLE")
    return len(role[2]) if role and role[0] == "master" else 0


class Failovers:
    """Bots that play through a proxy, a ladder of house bots, and a master that is replaced."""

    def __init__(self, service: LiveService, sentinels: Sentinels, proxy: FaultProxy) -> None:
        self.run, self.sentinels, self.proxy = (
            Soak(service, proxy, seed=7, dirty_reads=True),
            sentinels,
            proxy,
        )
        self.league = Container(service.settings)
        self.ladder = self.league.ladders.create(
            "owner", LadderSettings("quick", "durak", 2, deals=2, decks="independent", repeats=REPEATS)
        ).id
        for bot in ("random", "greedy"):
            self.league.ladders.enter(self.ladder, self.league.accounts.bot("house", bot))

    def kill(self) -> None:
        """Let the Sentinels replace a dead master, which comes back before they are done."""
        master = str(self.sentinels.master())
        self.sentinels.kill(master)
        self._replaced(master)
        self.sentinels.start(master)

    def freeze(self) -> None:
        """Let the Sentinels replace a hanging master, which goes on before they are done."""
        master = str(self.sentinels.master())
        self.sentinels.freeze(master)
        self._replaced(master)
        self.sentinels.thaw(master)

    def over(self) -> int:
        """Return how many matches of the last round are over."""
        return self.league.ladders.round(self.ladder, self.league.ladders.store.last_round(self.ladder)).over

    def judge(self) -> None:
        """Assert that all matches of the bots obey the rules, and that everybody can verify all records."""
        evidence = Evidence(self.proxy.journal, dirty_reads=True)
        for match, created in self.run.created.items():
            record = self.run.owner.record(match)
            self.run.verdicts.append(judge(record, evidence, created, self.run.trouble.outages))
        assert sum(verdict.acknowledged for verdict in self.run.verdicts) > 50
        assert sum(verdict.credited for verdict in self.run.verdicts) > 0, "clocks stood still"
        verified = CliRunner().invoke(main, ["verify", f"{self.run.service.url}/v1/records", "--whole"])
        assert verified.exit_code == 0, verified.output
        eventually(lambda: not list(self.league.consistency.findings()), "the data contradict nothing")

    def _replaced(self, failed: str) -> None:
        """Wait until another server is the master, and log the outage."""
        others = [name for name in SERVERS if name != failed]
        began = ended = time.monotonic()

        def replaced() -> bool:
            nonlocal ended
            now = time.monotonic()
            if any(
                role and role[0] == "master"
                for role in (self.sentinels.command(each, "ROLE") for each in others)
            ):
                return True
            ended = now
            return False

        eventually(replaced, "the Sentinels promote a replica")
        self.run.trouble.outages.append(Outage(failed, began, ended))


@pytest.mark.parametrize("failures", [1, pytest.param(6, marks=pytest.mark.soak)])
def test_a_league_on_sentinels_outlives_its_masters(
    service: LiveService,
    sentinels: Sentinels,
    record_property: Callable[[str, object], None],
    failures: int,
) -> None:
    """Masters die and hang in turn, in the middle of rounds, and come back at once. No acknowledged move is lost, no
    clock runs meanwhile, and house bots and rounds go on."""
    with FaultProxy(service.port, seed=7, rate=0.0) as proxy:
        failing = Failovers(service, sentinels, proxy)
        run = failing.run
        with run.playing():
            seated = run.seat(6)
            for number in range(failures):
                failing.league.rounds.start(failing.ladder)
                if run.over(seated):
                    seated |= run.seat(6)
                requests = len(proxy.journal) + 60
                eventually(lambda: len(proxy.journal) > requests or run.over(seated))  # noqa: B023
                (failing.freeze if number % 2 else failing.kill)()
                eventually(sentinels.settled, "all follow the new master")
                eventually(lambda: failing.over() == REPEATS, "the round is played")
            eventually(lambda: run.over(seated), "every bot hears that its matches are over")
        standings = run.league.get(f"/v1/ladders/{failing.ladder}/standings")["standings"]
        assert [line["matches"] for line in standings] == [failures * REPEATS] * 2
        failing.judge()
    record_property("report", run.report())
