"""All guarantees hold under faults, in a short run and a long one (`make soak`).

`KOZYR_SOAK_SEED` repeats the faults of an earlier run.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest

from tests.live.soak import SETTINGS, soak
from tests.support import dying
from tests.support.fault_proxy import ProxyFault
from tests.support.live import ALL, LiveService


@pytest.fixture
def service(live_service: Callable[..., LiveService]) -> LiveService:
    commands = {name: dying.command_of(name) for name in ALL if name != "redis"}
    return live_service(settings=SETTINGS, commands=commands)


@pytest.mark.live
@pytest.mark.ci
def test_all_guarantees_hold_in_a_short_run_with_faults(service: LiveService) -> None:
    soak(service, seed=1, rounds=1, matches=6, strikes=4, rate=0.08)


@pytest.mark.soak
def test_all_guarantees_hold_in_three_hundred_matches_with_faults(
    service: LiveService, record_property: Callable[[str, object], None]
) -> None:
    seed = int(os.environ.get("KOZYR_SOAK_SEED") or random.SystemRandom().randrange(1 << 32))
    run = soak(service, seed, rounds=25, matches=12, strikes=6, rate=0.05)
    record_property("report", run.report())
    assert len(run.verdicts) >= 300
    assert run.proxy.counts.total() >= 300
    assert run.trouble.counts.total() >= 100
    assert set(run.proxy.counts) == set(ProxyFault), "every kind of fault occurred"
