"""Matches among house bots, through RQ and in a bare loop: the same matches, in one process, in turn.

A round of a ladder is played by the worker's own code, with everything that follows from a match: commits, indexes,
groups, standings, ratings, the chain of records. The bare loop plays the same decks with the same bots at the referee's
table and stores nothing. Redis has a core of its own.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.measure import interleaved, ratio
from bots.house import HOUSE_BOTS
from kozyr.embedded import EmbeddedRedis
from kozyr.settings import Settings
from kozyr.wiring import Parts
from referee.index import MatchFilter
from referee.referee import Live
from referee.table import Head, Status, Table, match_of
from workers.context import Services
from workers.run import Worker, make_worker

ROUNDS: Final = 5
TABLES: Final[Mapping[str, dict[str, Any]]] = {
    "durak, 200 deals in rotated groups": {"decks": "rotated", "repeats": 100},
    "durak, 20 matches of 10 deals": {"decks": "independent", "deals": 10, "repeats": 20},
}


def report() -> list[str]:
    """The lines of the table."""
    lines = [
        "| a round of `greedy` and `random` | matches/s through RQ | bare loop | share |",
        "| --- | --- | --- | --- |",
    ]
    for name, settings in TABLES.items():
        with tempfile.TemporaryDirectory(prefix="kb") as folder:
            server = EmbeddedRedis(Path(folder) / "redis").start()
            try:
                lines.append(f"| {name} | {_line(server.url, settings)} |")
            finally:
                server.stop()
    return lines


def _line(url: str, settings: dict[str, Any]) -> str:
    parts = Parts(Settings(redis_url=url, secret="s" * 32))
    worker = make_worker(Services(parts.referee, parts.rounds, parts.ratings, parts.adjusting, parts.queue))
    played: list[Live] = []

    def through_rq() -> float:
        began = time.perf_counter()
        ladder = _round(parts, worker, settings)
        seconds = time.perf_counter() - began
        found = parts.index.ended(MatchFilter(ladder=ladder), None, 1000).ids
        played[:] = [live for live in parts.referee.look_at(found) if live is not None]
        return len(played) / seconds

    def bare() -> float:
        began = time.perf_counter()
        for live in played:
            _play(live)
        return len(played) / (time.perf_counter() - began)

    rates = interleaved({"rq": through_rq, "bare": bare}, ROUNDS)
    medians = [statistics.median(rates[name]) for name in ("rq", "bare")]
    return f"{medians[0]:,.0f} | {medians[1]:,.0f} | {ratio(rates['rq'], rates['bare']):.2f}"


def _round(parts: Parts, worker: Worker, settings: dict[str, Any]) -> str:
    """A ladder whose one round was played."""
    ladder = parts.ladders.create("bench", "Bench", "durak", 2, **settings).id
    for name in ("greedy", "random"):
        parts.ladders.enter(ladder, parts.accounts.bot("house", name))
    number = parts.rounds.start(ladder).number
    while parts.ladders.round(ladder, number).ended is None:
        worker.work(burst=True, with_scheduler=False, logging_level="WARNING")
    return ladder


def _play(live: Live) -> None:
    setup, nothing = live.setup, (0,) * len(live.setup.seats)
    dealer = live.head.first_dealer or 0
    head = Head(Status.RUNNING, 1, dealer, nothing, 1, None, nothing, nothing, (), (), dealer, 1)
    state = match_of(setup, dealer).begin()
    table = Table(setup, head, state, "", lambda n: setup.deck(live.secret, n), HOUSE_BOTS, Random(1))
    table.carry_on(1_000_000)
