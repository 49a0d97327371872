"""Standings of a thousand bots with a million deals behind them, over HTTP from one worker, as JSON and as CSV.

The service's own scripts compute the totals from 10 000 synthetic matches of 100 deals, each with
a rating. The stored data doesn't grow with the number of matches. The standings are read unchanged, and with a match
counted before each request, so that no cache has the response. The processor time of the worker is reported as well,
since other processes on a busy machine don't lengthen it.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

import httpx

from bench.support.measure import at_most, percentile
from bench.support.service import MEASURED
from league.ladders.model import LadderEntry, LadderResult, Round, TotalsDelta
from league.ladders.settings import LadderSettings
from league.pairing.plan import Entrant
from records.results.group_result import PlayedMatch
from records.results.group_result import ResultPlayer as Rated
from server.config.settings import Settings
from server.container import Container
from tests.support.live import LiveService

BOTS: Final = 1000
MATCHES: Final = 10_000
DEALS: Final = 100
READINGS: Final = 200
AT_ONCE: Final = 500


def report() -> list[str]:
    """Return the lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        LiveService(Path(folder), ["redis", "api"], settings=MEASURED) as service,
    ):
        parts = Container(Settings(redis_url=service.redis_url, secret="s" * 32))
        season = BenchSeason(parts)
        for _ in range(MATCHES // AT_ONCE):
            season.count(AT_ONCE)
        with service.http() as client:
            path = f"/v1/ladders/{season.ladder}/standings"
            readings = Readings(client, service.pid("api"))
            first = readings.ms(path)
            lines = [
                f"| standings of {BOTS} bots, {MATCHES * DEALS:,} deals | p50, ms | p99, ms | CPU, ms | at most |",
                "| --- | --- | --- | --- | --- |",
                readings.line("all of them, unchanged", path, most=10),
                readings.line("all of them, a match counted before each", path, lambda: season.count(1)),
                readings.line("the first 50", f"{path}?limit=50"),
                readings.line("all of them as CSV", path, accept="text/csv"),
                readings.line("`/v1/games`, to compare", "/v1/games"),
            ]
            page = client.get(path)
        assert len(page.json()["standings"]) == BOTS
        assert sum(line["deals"] for line in page.json()["standings"]) >= 2 * MATCHES * DEALS
    return [
        *lines,
        "",
        f"The first reading of a process took {first:.0f} ms; an answer has {len(page.content):,} bytes.",
    ]


class Readings:
    """Repeated requests of one client."""

    def __init__(self, client: httpx.Client, server: int) -> None:
        """`server` is the gunicorn master, which has one worker."""
        self._client = client
        (worker,) = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        self._stat = Path(f"/proc/{worker}/stat")

    def line(
        self,
        name: str,
        path: str,
        before: Callable[[], object] = lambda: None,
        accept: str = "application/json",
        most: float | None = None,
    ) -> str:
        """Return a line of the table."""
        found, used = [], 0.0
        for _ in range(READINGS):
            before()
            began = self._used()
            found.append(self.ms(path, accept))
            used += self._used() - began
        median, tail = statistics.median(found), percentile(found, 0.99)
        target = "" if most is None else at_most(median, most)
        return f"| {name} | {median:.1f} | {tail:.1f} | {used / READINGS:.1f} | {target} |"

    def ms(self, path: str, accept: str = "application/json") -> float:
        """Return the duration of a request in ms."""
        began = time.perf_counter()
        self._client.get(path, headers={"Accept": accept}).raise_for_status()
        return 1000 * (time.perf_counter() - began)

    def _used(self) -> float:
        """Return the processor time of the worker, in ms."""
        user, system = self._stat.read_text().rpartition(")")[2].split()[11:13]
        return 1000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class BenchSeason:
    """A ladder with an endless round."""

    def __init__(self, parts: Container, bots: int = BOTS) -> None:
        self._parts, self._store = parts, parts.ladders.store
        self.ladder = parts.ladders.create(
            "bench", LadderSettings("Bench", "durak", 2, deals=DEALS, decks="independent")
        ).id
        self._bots = [f"b{number:019}" for number in range(bots)]
        for number, bot in enumerate(self._bots):
            self._store.put_entry(self.ladder, LadderEntry(bot, f"owner-{number}/bot", f"o{number}", 1))
        self._round = Round(self.ladder, 1, None, 1, (Entrant("b", "o/b", "o", "1"),), 1, 0, 10**6)
        self._store.open_round(self._round, ["open"])
        self._store.take_lease(self.ladder, 1, "bench", 10**9)
        self._matches = self._played()
        self._table = 0

    def count(self, matches: int) -> None:
        """Count `matches` more matches, at most 500, with ratings."""
        played = list(islice(self._matches, matches))
        tables = {self._table + at: match.id for at, match in enumerate(played)}
        self._table += matches
        self._store.make(self._round, "bench", 10**9, tables)
        self._store.count([self._result(match) for match in played])
        for match in played:
            self._parts.ratings.take([match])
        self._parts.ratings.catch_up("durak/2")

    def _played(self) -> Iterator[PlayedMatch]:
        rng, number = Random(1), 0
        while True:
            number += 1
            points = rng.randrange(-60, 60)
            seats = tuple(Rated(bot, f"owner-{int(bot[1:])}/bot", "1") for bot in rng.sample(self._bots, 2))
            yield PlayedMatch(
                f"m{number}", f"m{number}", "durak/2", number, seats, (0, 1), (points, -points), ()
            )

    def _result(self, match: PlayedMatch) -> LadderResult:
        one, other = (seat.id for seat in match.seats)
        made = {
            bot: TotalsDelta(int(points > 0), 0, DEALS, points)
            for bot, points in zip((one, other), match.scores, strict=True)
        }
        cross = {one: {other: made[one]}, other: {one: made[other]}}
        return LadderResult(self.ladder, 1, match.id, True, made, cross)
