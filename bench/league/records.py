"""Memory of a finished match in Redis, in bytes per deal, by `MEMORY USAGE` of its key."""

from __future__ import annotations

import random
import statistics
from typing import Any

from bots.house import HOUSE_BOTS
from engine.registry import GAMES
from redisio.connection import Redis
from referee.match.session import Seat
from referee.referee import Referee
from referee.storage.redis import RedisMatchStore, keys_of

MATCHES = 100


def report(redis_url: str) -> list[str]:
    """Return the lines of the table."""
    redis = Redis(redis_url)
    store = RedisMatchStore(redis)
    players: Any = HOUSE_BOTS
    referee = Referee(store, players, rng=random.Random(7))
    lines = ["| a finished match | record in Redis, bytes a deal | the same as JSON |", "| --- | --- | --- |"]
    for name, cls in GAMES.items():
        for bot in ("random", "greedy"):
            packed, plain = [], []
            for _ in range(MATCHES if cls.fixed_deals is None else MATCHES // 10):
                seats = [Seat(f"house/{bot}", f"house-{bot}", "1", True)] * cls.seat_counts[0]
                live = referee.create(name, seats, {})
                while referee.go_on(live.id, 10.0):
                    pass
                live = referee.look(live.id)
                packed.append(redis.one("MEMORY", "USAGE", keys_of(live.id)[6]) / live.config.deals)
                plain.append(len(str(referee.record(live).to_json())) / live.config.deals)
            who = f"{name}, {cls.seat_counts[0]} × {bot}"
            lines.append(f"| {who} | {statistics.mean(packed):,.0f} | {statistics.mean(plain):,.0f} |")
    return lines
