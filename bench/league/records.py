"""Memory of a finished match in Redis, in bytes per deal, by `MEMORY USAGE` of its key."""

from __future__ import annotations

import random
import statistics

from engine.registry import GAMES
from kozyr.container.options import ContainerOptions
from kozyr.container.referee import RefereeContainer
from redisio.connection import Redis
from referee.match.session import Seat
from referee.proofs.proof import SigningKey
from referee.storage.redis import keys_of

MATCHES = 100


def report(redis_url: str) -> list[str]:
    """Return the lines of the table."""
    redis = Redis(redis_url)
    options = ContainerOptions(
        connect=lambda: redis, signing_key=lambda: SigningKey(bytes(32)), rng=random.Random(7)
    )
    referee = RefereeContainer(options).referee
    lines = ["| a finished match | record in Redis, bytes a deal | the same as JSON |", "| --- | --- | --- |"]
    for name, cls in GAMES.items():
        for bot in ("random", "greedy"):
            packed, plain = [], []
            for _ in range(MATCHES if cls.fixed_deals is None else MATCHES // 10):
                seats = [Seat(f"house/{bot}", f"house-{bot}", "1", True)] * cls.seat_counts[0]
                loaded = referee.create(name, seats, {})
                while referee.go_on(loaded.id, 10.0):
                    pass
                loaded = referee.look(loaded.id)
                packed.append(redis.one("MEMORY", "USAGE", keys_of(loaded.id)[6]) / loaded.config.deals)
                plain.append(len(str(referee.record(loaded).to_json())) / loaded.config.deals)
            who = f"{name}, {cls.seat_counts[0]} × {bot}"
            lines.append(f"| {who} | {statistics.mean(packed):,.0f} | {statistics.mean(plain):,.0f} |")
    return lines
