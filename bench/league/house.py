"""Matches among house bots, through RQ and in a bare loop, in turn in one process.

The worker's own code plays a ladder round with all its effects: commits, indexes, groups, standings, the ratings log
and the chain of records. The bare loop plays the same decks with the same bots at the referee's table, but stores
nothing. Redis has its own core. House bots choose at random, so the same decks give different matches. Speeds are in
moves.

The share is reported twice: in wall-clock time, and in the processor time of the worker and Redis together, which other
work on the machine doesn't change.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.support.measure import at_least, interleaved, ratio
from bots.house import HOUSE_BOTS
from kozyr.config.settings import Settings
from kozyr.container.production import Container
from kozyr.serve.collector import spare_collector
from kozyr.serve.embedded import EmbeddedRedis
from kozyr.serve.processes import job_services
from redisio.info import info_fields
from referee.match.loaded_match import LoadedMatch
from referee.match.log import parse_log
from referee.match.session import MatchProgress, MatchSession, Status, match_of
from referee.storage.index import MatchFilter
from referee.storage.store import OutboxKind
from workers.clock import DeadlineLoop, HouseRelay
from workers.run import RqWorker, make_worker

ROUNDS: Final = 3
THINKER: Final = "search-100ms"
TABLES: Final[Mapping[str, dict[str, Any]]] = {
    "durak, 1 000 deals in rotated groups": {"game": "durak", "decks": "rotated", "repeats": 500},
    "durak, 100 matches of 10 deals": {"game": "durak", "decks": "independent", "deals": 10, "repeats": 100},
    "kryt, 500 deals in rotated groups": {"game": "kryt", "decks": "rotated", "repeats": 250},
    "svoi_kozyri, 800 independent deals": {"game": "svoi_kozyri", "decks": "independent", "repeats": 800},
    "svoi_kozyri, 800 deals in rotated groups": {"game": "svoi_kozyri", "decks": "rotated", "repeats": 400},
}


def report() -> list[str]:
    """Return the lines of the table."""
    spare_collector()  # as in every worker
    lines = [
        "| a round of `greedy` and `random` | moves/s through RQ | bare loop | share | by processor | at least |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, settings in TABLES.items():
        with tempfile.TemporaryDirectory(prefix="kb") as folder:
            server = EmbeddedRedis(Path(folder) / "redis").start()
            try:
                lines.append(f"| {name} | {_line(server.url, settings)} |")
            finally:
                server.stop()
    lines += ["", f"Of the time of a round of `greedy` and `{THINKER}`, {_thinking():.0%} is thinking."]
    return lines


def _thinking() -> float:
    """Return the share of a round's time in which the search bot was thinking."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        server = EmbeddedRedis(Path(folder) / "redis").start()
        try:
            parts = Container(Settings(redis_url=server.url, secret="s" * 32), asks_thinkers=True)
            settings = {"game": "durak", "decks": "rotated", "repeats": 2}
            began = time.perf_counter()
            ladder = _round(parts, make_worker(job_services(parts)), settings, ("greedy", THINKER))
            seconds = time.perf_counter() - began
            found = parts.referee.look_at(parts.index.ended(MatchFilter(ladder=ladder), None, 100).ids)
            thought = [entry.ms for loaded in found if loaded is not None for entry in parse_log(loaded.log)]
            return sum(thought) / 1000 / seconds
        finally:
            server.stop()


def _line(url: str, settings: dict[str, Any]) -> str:
    parts = Container(Settings(redis_url=url, secret="s" * 32))
    worker = make_worker(job_services(parts))
    played: list[LoadedMatch] = []
    spent: dict[str, list[float]] = {"rq": [], "bare": []}  # in moves per second of processor time
    lots = Random(1)

    def through_rq() -> float:
        before = time.process_time() + _spent_by_redis(parts)
        ladder = _round(parts, worker, settings)
        played_round = parts.ladders.round(ladder, 1)
        assert played_round.ended is not None
        # Use the round's own times, since a burst worker waits a second for an RQ thread when it ends.
        seconds = (played_round.ended - played_round.started) / 1000
        processor = time.process_time() + _spent_by_redis(parts) - before
        found = parts.index.ended(MatchFilter(ladder=ladder), None, 5000).ids
        played[:] = [loaded for loaded in parts.referee.look_at(found) if loaded is not None]
        moves = sum(loaded.log.count("\n") for loaded in played)
        spent["rq"].append(moves / processor)
        return moves / seconds

    def bare() -> float:
        began, before = time.perf_counter(), time.process_time()
        moves = sum(_play(loaded, lots) for loaded in played)
        spent["bare"].append(moves / (time.process_time() - before))
        return moves / (time.perf_counter() - began)

    rates = interleaved({"rq": through_rq, "bare": bare}, ROUNDS)
    medians = [statistics.median(rates[name]) for name in ("rq", "bare")]
    share, of_time = ratio(rates["rq"], rates["bare"]), ratio(spent["rq"][1:], spent["bare"][1:])
    return f"{medians[0]:,.0f} | {medians[1]:,.0f} | {share:.2f} | {of_time:.2f} | {at_least(share, 0.9)}"


def _spent_by_redis(parts: Container) -> float:
    """Return the processor time of Redis in seconds."""
    used = info_fields(parts.redis.one("INFO", "cpu"))
    return float(used["used_cpu_user"]) + float(used["used_cpu_sys"])


def _round(
    parts: Container, worker: RqWorker, settings: dict[str, Any], bots: Sequence[str] = ("greedy", "random")
) -> str:
    """Create a ladder, play one round and return the ladder's id."""
    more = dict(settings)
    ladder = parts.ladders.create("bench", "Bench", more.pop("game"), 2, **more).id
    for name in bots:
        parts.ladders.enter(ladder, parts.accounts.bot("house", name))
    number = parts.rounds.start(ladder).number
    clock = DeadlineLoop(
        parts.referee,
        {
            OutboxKind.INDEX: parts.feed_entries,
            OutboxKind.HOUSE: HouseRelay(parts.store, parts.queue.play_house),
        },
        parts.rounds.tick,
    )
    while True:
        worker.work(burst=True, with_scheduler=False, logging_level="WARNING")
        if parts.ladders.round(ladder, number).ended is not None:
            return ladder
        clock.tick()  # continues a match that was too long for one job


def _play(loaded: LoadedMatch, lots: Random) -> int:
    """Replay a match with the engine alone. Return the number of moves, including decks."""
    config, nothing = loaded.config, (0,) * len(loaded.config.seats)
    dealer = loaded.progress.first_dealer or 0
    progress = MatchProgress(Status.RUNNING, 1, dealer, nothing, 1, None, nothing, nothing, (), (), dealer, 1)
    state = match_of(config, dealer).begin()
    table = MatchSession(
        config, progress, state, "", lambda n: config.deck(loaded.secret, n), HOUSE_BOTS, lots
    )
    table.carry_on(1_000_000)
    return sum(log.count("\n") for log in table.closed)
