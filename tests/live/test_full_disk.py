"""The service keeps answering when its disk is full."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.live.league import LiveLeague, check, players, two_bots
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

CLOCK = {"move_ms": 10_000, "bank_ms": 0, "grace_ms": 0, "strikes": 1}
"""Longer than the pauses of a client between its attempts, shorter than the disk is full."""


@pytest.mark.ci
def test_requests_are_answered_while_the_log_is_on_a_full_disk(
    live_service: Callable[..., LiveService],
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    api = ["sh", "-c", f"exec {sys.executable} -m kozyr api 2>/dev/full >/dev/full"]
    service = live_service(["redis", "api"], settings={"KOZYR_LOG_LEVEL": "debug"}, commands={"api": api})
    with service.http() as client:
        worker = service.api_workers()
        made = client.post("/v1/owners", json={"name": "unlogged"})
        assert made.status_code == 201, made.text
        assert client.get("/v1/matches").status_code == 200
        assert client.get("/v1/nothing").status_code == 404
        assert client.post("/v1/owners", content=b"{").status_code in (400, 415)
    assert service.api_workers() == worker


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 12 MB, on which the service of `live_service` has all its files."""
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", tmp_path], check=False)
    if mounted.returncode:
        pytest.skip("this system allows no mount")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Fill the last byte of a disk."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    try:
        yield
    finally:
        filler.unlink()


@pytest.fixture
def league(small_disk: Path, live_service: Callable[..., LiveService]) -> LiveLeague:
    """An owner at a service on the small disk, whose supervisor restarts what ends."""
    service = live_service(["up"], commands={"up": [sys.executable, "-m", "kozyr", "up", "--no-demo"]})
    with service.http() as http:
        eventually(lambda: is_ready(http), "it is ready")
    return LiveLeague(service)


@pytest.mark.ci
def test_a_full_disk_stops_nothing_but_writes_and_costs_nobody_anything(
    small_disk: Path, league: LiveLeague
) -> None:
    service, http = league.service, league.http
    bots, matches = two_bots(league, clock=CLOCK)
    with players(service, bots, matches) as playing:
        eventually(lambda: sum(len(player.sent) for player in playing) > 20, "they play")
        with filled(small_disk):
            # At the first write Redis ends. It starts again and refuses all others.
            eventually(lambda: "OOM (storage_full)" in http.get("/readyz").text, "Redis refuses writes")
            began = time.monotonic()
            while time.monotonic() - began < CLOCK["move_ms"] / 1000 + 1:
                assert http.get("/healthz").is_success
                assert http.get("/", headers={"Accept": "text/html"}).is_success
                assert refusal(http) == "storage_full"
                assert "storage_full" in http.get("/readyz").text
            seen = [len(player.sent) for player in playing]
        eventually(lambda: is_ready(http), "it is ready again")
        for player in playing:
            player.join(within=120)
    assert [len(player.sent) for player in playing] != seen
    check(league, matches, playing)


def is_ready(http: httpx.Client) -> bool:
    try:
        return http.get("/readyz").is_success
    except httpx.TransportError:
        return False


def refusal(http: httpx.Client) -> str:
    """Return the code with which a creation is refused."""
    answer = http.post("/v1/owners", json={"name": f"late-{secrets.token_hex(4)}"})
    assert answer.is_success or (answer.status_code == 503 and "Retry-After" in answer.headers), answer.text
    return "" if answer.is_success else str(answer.json()["code"])


@pytest.mark.ci
def test_matches_move_to_the_archive_from_a_full_disk(small_disk: Path, league: LiveLeague) -> None:
    service, http = league.service, league.http
    matches = [league.match(["house/random", "house/random"]) for _ in range(5)]
    for match in matches:
        eventually(
            lambda match=match: league.get(f"/v1/matches/{match}")["status"] == "finished", "it is over"
        )
    with filled(small_disk):
        eventually(lambda: "OOM (storage_full)" in http.get("/readyz").text, "Redis refuses writes")
        done = service.kozyr("archive", "run", "--days", "0", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["moved"] == len(matches)
        assert league.record(matches[0])["seats"]
    eventually(lambda: is_ready(http) and refusal(http) == "", "it is ready again")
    assert all(league.record(match) for match in matches)
