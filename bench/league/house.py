"""Processor time of a stored house match, beside the same match in `kozyr play --out`.

The worker's own code plays rounds of a ladder, with all that follows from a match: commits, indexes, groups, standings,
the log of ratings and the chain of records. The time is that of worker and Redis together. `kozyr play --out` plays as
many matches of the same bots in the same kind of duplicate groups, and writes their records to a file. Both count whole
rounds, without the start of a process.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Final

from bench.support.measure import at_most, interleaved, ratio
from kozyr.local.bots import bot
from kozyr.local.plan import LocalPlan
from kozyr.local.run import Tournament
from kozyr.reading.file import RecordFile
from league.ladders.settings import LadderSettings
from redisio.server import info_fields
from referee.storage.index import MatchFilter
from referee.storage.store import OutboxKind
from server.collector import exempt_from_collection
from server.config.settings import Settings
from server.container import Container, job_queue
from server.embedded import EmbeddedRedis
from workers.context import WorkerServices
from workers.deadline_loop import DeadlineLoop, FeedRelay, HouseRelay
from workers.run import RqWorker, make_worker

ROUNDS: Final = 5
MOST: Final = 3.0
MATCHES: Final[Mapping[str, int]] = {"durak": 1000, "kryt": 500, "svoi_kozyri": 800}
PLAYERS: Final = ("greedy", "random")


def report() -> list[str]:
    """Return the lines of the table."""
    exempt_from_collection()  # as in every worker
    lines = [
        "| a house match | worker and Redis, µs | `kozyr play --out`, µs | ratio | at most |",
        "| --- | --- | --- | --- | --- |",
    ]
    for game, matches in MATCHES.items():
        with tempfile.TemporaryDirectory(prefix="kb") as name:
            folder = Path(name)
            server = EmbeddedRedis(folder / "redis").start()
            try:
                measures = {
                    "stored": _stored(server.url, game, matches),
                    "local": _local(folder, game, matches),
                }
                found = interleaved(measures, ROUNDS)
            finally:
                server.stop()
        stored, local = (1e6 * statistics.median(found[each]) for each in measures)
        times = ratio(found["stored"], found["local"])
        lines.append(f"| {game} | {stored:.0f} | {local:.0f} | {times:.2f} | {at_most(times, MOST)} |")
    return lines


def _stored(url: str, game: str, matches: int) -> Callable[[], float]:
    """Return a function that plays a round and returns the processor time of a match in seconds."""
    container = Container(Settings(redis_url=url, secret="s" * 32))
    worker = make_worker(WorkerServices(container, job_queue(container.settings)))

    def measure() -> float:
        before = time.process_time() + _spent_by_redis(container)
        ladder = _round(container, worker, game, matches)
        spent = time.process_time() + _spent_by_redis(container) - before
        assert len(container.index.ended(MatchFilter(ladder=ladder), None, 5000).ids) == matches
        return spent / matches

    return measure


def _local(folder: Path, game: str, matches: int) -> Callable[[], float]:
    """Return a function that plays a tournament and returns the processor time of a match in seconds."""
    players, seeds = [bot(name) for name in PLAYERS], count(1)

    def measure() -> float:
        seed, seats = next(seeds), tuple(player.seat for player in players)
        plan = LocalPlan.checked(game=game, options={}, seats=2, bots=seats, deals=matches, seed=seed)
        file = RecordFile(folder / f"{seed}.ndjson", resume=False)
        before = time.process_time()
        Tournament(plan, file).play(players, 1, folder, lambda: None, lambda: False)
        spent = time.process_time() - before
        file.close()
        return spent / matches

    return measure


def _spent_by_redis(container: Container) -> float:
    """Return the processor time of Redis in seconds."""
    used = info_fields(container.redis.one("INFO", "cpu"))
    return float(used["used_cpu_user"]) + float(used["used_cpu_sys"])


def _round(container: Container, worker: RqWorker, game: str, matches: int) -> str:
    """Create a ladder, play one round and return the ladder's id."""
    ladder = container.ladders.create(
        "bench", LadderSettings("Bench", game, 2, decks="rotated", repeats=matches // 2)
    ).id
    for name in PLAYERS:
        container.ladders.enter(ladder, container.accounts.bot("house", name))
    number = container.rounds.start(ladder).number
    relay = HouseRelay(container.store, job_queue(container.settings).play_house)
    clock = DeadlineLoop(
        container.referee,
        {OutboxKind.INDEX: FeedRelay(container.referee, container.feed), OutboxKind.HOUSE: relay},
        container.rounds.tick,
    )
    while container.ladders.round(ladder, number).ended is None:
        worker.work(burst=True, with_scheduler=False, logging_level="WARNING")
        clock.tick()  # continues a match that was too long for one job
    return ladder
