"""Streams of real processes: cut a thousand times without a gap, and ended cleanly by a restart."""

from __future__ import annotations

import http.client
import random
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.live.league import LiveLeague, players
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

CUTS = 1000
WATCHERS = 20
NO_RATES = {"KOZYR_RATE_ANONYMOUS": "0", "KOZYR_RATE_REQUESTS": "0", "KOZYR_RATE_CREATIONS": "0"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    folder: Path = tmp_path_factory.mktemp("streams")
    settings = {"KOZYR_TICK_MS": "20", "KOZYR_API_WORKERS": "2", "KOZYR_LOG_LEVEL": "warning", **NO_RATES}
    with LiveService(folder, settings=settings) as running:
        yield running


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service)


class Watcher:
    """Reads a stream, and continues with the id of the last complete message whenever it is cut."""

    def __init__(self, service: LiveService, path: str) -> None:
        self.service, self.path = service, path
        self.last = ""
        self.received: list[Any] = []
        self.over = False
        self.ending = b""

    def read(self, most: int) -> None:
        """Read at most this many bytes of a new stream, then cut it."""
        headers = {"Last-Event-ID": self.last} if self.last else {}
        with closing(http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=60)) as connection:
            text = b""
            with suppress(OSError, http.client.HTTPException):
                connection.request("GET", self.path, headers=headers)
                answer = connection.getresponse()
                self.over = answer.status == 204
                assert answer.status in (200, 204)
                while len(text) < most and (piece := answer.read1(most - len(text))):
                    text += piece
        *whole, self.ending = text.split(b"\n\n")
        self.ending = whole[-1] if whole and not self.ending else b""
        for block in whole:
            fields = dict(line.split(b": ", 1) for line in block.splitlines() if line[:1] not in (b":", b""))
            if b"data" in fields:
                self.last = fields[b"id"].decode()
                self.received.append(orjson.loads(fields[b"data"]))


def all_events(league: LiveLeague, match: str) -> list[dict[str, Any]]:
    """Return the events of a match, page by page."""
    found: list[dict[str, Any]] = []
    while page := league.get(f"/v1/matches/{match}/events?after={len(found)}")["events"]:
        found += page
    return found


def test_a_thousand_cut_streams_resume_without_a_gap(service: LiveService, league: LiveLeague) -> None:
    bots = [league.bot("cut-1"), league.bot("cut-2")]
    matches = [league.match([bots[0], bots[1]], deals=4) for _ in range(4)]
    watchers = [
        Watcher(service, f"/v1/matches/{matches[number % 4]}/stream") for number in range(WATCHERS - 4)
    ]
    pages = [Watcher(service, f"/v1/stream?matches={','.join(matches)}") for _ in range(4)]

    def watch(watcher: Watcher) -> None:
        rng = random.Random(watcher.path)
        for _ in range(CUTS // WATCHERS):
            watcher.read(rng.choice((1, 50, 400, 2000)))
        while not watcher.over:
            watcher.read(1 << 30)

    with players(service, bots, matches) as playing, ThreadPoolExecutor(WATCHERS) as pool:
        for done in [pool.submit(watch, watcher) for watcher in (*watchers, *pages)]:
            done.result(300)
        for player in playing:
            player.join(120)
    whole = {match: all_events(league, match) for match in matches}
    for number, watcher in enumerate(watchers):
        assert watcher.received == whole[matches[number % 4]]
    for page in pages:
        for match in matches:
            assert [each["event"] for each in page.received if each["match"] == match] == whole[match]


def test_a_restart_ends_streams_with_a_hint(service: LiveService, league: LiveLeague) -> None:
    match = league.match([league.bot("ended"), league.bot("waits")])
    watcher = Watcher(service, f"/v1/matches/{match}/stream?kind=frames")
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(watcher.read, 1 << 30)
        eventually(
            lambda: re.search(r"^kozyr_waiting_polls\S* 1\.0$", service.metrics(), re.MULTILINE),
            "it waits",
        )
        service.signal("api", signal.SIGHUP)
        reading.result(60)
    assert watcher.ending == b": stopping\nretry: 1000"
