"""Which acknowledged moves survive the death of Redis, by `appendfsync`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.law import Evidence, lost_moves
from tests.live.soak import SETTINGS, Soak, soak
from tests.support import dying
from tests.support.dying import KillPoint
from tests.support.fault_proxy import FaultProxy
from tests.support.live import ALL, LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

DEATHS = {"Redis killed", *(f"Redis ends {point}" for point in KillPoint)}


def started(live_service: Callable[..., LiveService], appendfsync: str | None = None) -> LiveService:
    """Run a service with this `appendfsync`, or with the default."""
    commands = {name: dying.command_of(name) for name in ALL if name != "redis"}
    settings = SETTINGS if appendfsync is None else {**SETTINGS, "KOZYR_APPENDFSYNC": appendfsync}
    service = live_service(settings=settings, commands=commands)
    with service.redis() as client:
        assert client.config_get("appendfsync") == {"appendfsync": appendfsync or "always"}
    return service


def test_no_acknowledged_move_is_lost_when_redis_is_killed(
    live_service: Callable[..., LiveService],
) -> None:
    run = soak(started(live_service), seed=3, rounds=1, matches=6, strikes=4, rate=0.0, kinds=DEATHS)
    assert run.trouble.counts.total() == 4
    assert sum(verdict.acknowledged for verdict in run.verdicts) > 50


def test_after_a_power_cut_with_everysec_play_continues_from_the_remaining_data(
    live_service: Callable[..., LiveService],
) -> None:
    service = started(live_service, "everysec")
    with FaultProxy(service.port, seed=4, rate=0.0) as proxy:
        run = Soak(service, proxy, 4, dirty_reads=True)
        with run.playing():
            seated = run.seat(6)
            # Redis defers its writes while a slow disk flushes. The cut must not take the name of the league away.
            eventually(lambda: b"kozyr:league" in append_only_file(service).read_bytes())
            for _ in range(3):
                written = append_only_file(service).stat().st_size
                already = len(proxy.journal) + 40
                eventually(lambda: len(proxy.journal) >= already or run.over(seated), "they play")  # noqa: B023
                service.kill("redis")
                # Simulate a kernel that has not written the rest: the file ends in the middle of a command.
                os.truncate(append_only_file(service), written + 7)
                service.start("redis")
            eventually(lambda: run.over(seated), "every match ends and is reported as finished")
        evidence = Evidence(proxy.journal)
        lost = sum(lost_moves(run.owner.record(match), evidence) for match in seated)
        assert lost, "the test must lose some moves"


def append_only_file(service: LiveService) -> Path:
    """Return the file of the append-only folder that Redis wrote last."""
    return max((service.var / "redis").rglob("appendonly*.aof"), key=lambda each: each.stat().st_mtime)
