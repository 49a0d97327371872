"""A fair match continues while the service is under attack, without losing a move or time.

All attacks run concurrently, in threads of this process and from the same address as the fair bots. The assertions
are about counts and the record, never about speed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from server.launch import allow_open_files
from tests.live.attacks import ATTACKS, Attacker
from tests.live.league import LiveLeague, check, play_out
from tests.support.live import LiveService

SETTINGS = {
    "KOZYR_LOG_LEVEL": "warning",
    "KOZYR_RATE_POLLS": "50",
    "KOZYR_RATE_REFUSED_MOVES": "30",
    "KOZYR_RATE_BAD_TOKENS": "20",
    "KOZYR_RATE_CREATIONS": "20",
}
"""Rates so low that each flood reaches its limit even on a slow machine."""
FAIR = 2
"""The lowest number of rounds of fair matches."""


def attacked(service: LiveService, size: int) -> None:
    """Play fair matches one after another until all attacks have ended."""
    fair = LiveLeague(service, "fair")
    # Each attacker has its own owner, so that no rate limit affects another.
    attackers = [(attack, LiveLeague(service, f"bad-{number}")) for number, attack in enumerate(ATTACKS)]
    bots = [fair.bot("ann"), fair.bot("ben")]
    workers = service.api_workers()
    with ThreadPoolExecutor(len(ATTACKS)) as pool:
        running = [pool.submit(attack, Attacker(service, league, size)) for attack, league in attackers]
        rounds = 0
        while rounds < FAIR or not all(attack.done() for attack in running):
            matches = [fair.match(bots), fair.match(bots[::-1])]
            playing = play_out(service, bots, matches, 300)
            check(fair, matches, playing)
            rounds += 1
        for (attack, _), ended in zip(attackers, running, strict=True):
            try:
                ended.result(0)
            except Exception as error:
                raise AssertionError(f"{attack.__name__}: {error!r}") from error
    assert service.api_workers() == workers, "no API process died"
    assert fair.http.get("/readyz").status_code == 200
    api_log = service.log("api")
    assert "Traceback" not in api_log
    assert "internal error" not in api_log


@pytest.mark.live
@pytest.mark.ci
def test_a_fair_match_loses_nothing_while_the_service_is_attacked(
    live_service: Callable[..., LiveService],
) -> None:
    attacked(live_service(settings={**SETTINGS, "KOZYR_CONNECTIONS": "128"}), size=40)


@pytest.mark.soak
def test_a_fair_match_loses_nothing_under_thousands_of_connections(
    live_service: Callable[..., LiveService],
) -> None:
    allow_open_files(len(ATTACKS) * 2000)  # this process runs all attackers
    attacked(live_service(settings=SETTINGS), size=2000)
