"""Trouble behind the API: processes killed, frozen for a while, or ended at a point of a move."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping

from tests.live.law import Outage
from tests.support import dying
from tests.support.live import LiveService


class Trouble:
    """Does to a service what a generator of random numbers says, and keeps account."""

    def __init__(self, service: LiveService, rng: random.Random) -> None:
        self.service, self._rng = service, rng
        self.counts: Counter[str] = Counter()
        self.outages: list[Outage] = []
        self._kinds: Mapping[str, Callable[[], None]] = {
            "an API worker killed": lambda: self._kill_one_api_worker(),
            "the API killed": lambda: self._kill("api", 0.0),
            "the API down for a while": lambda: self._kill("api", self._length()),
            "the API frozen": lambda: self._freeze("api"),
            "Redis killed": lambda: self._kill("redis", 0.0),
            "Redis down for a while": lambda: self._kill("redis", self._length()),
            "Redis frozen": lambda: self._freeze("redis"),
            "the clock killed": lambda: self._kill("clock", 0.0),
            "the worker killed": lambda: self._kill("worker", 0.0),
            **{f"an API worker ends {point}": lambda point=point: self._arm(point) for point in dying.Point},  # type: ignore[misc]  # mypy can't infer it
            **{
                f"Redis ends {point}": lambda point=point: self._end_redis(point)  # type: ignore[misc]  # mypy can't infer it
                for point in dying.Point
            },
        }

    def strike(self) -> None:
        """One of the kinds; when it returns everything runs again, or soon."""
        kind = self._rng.choice(list(self._kinds))
        self._kinds[kind]()
        self.counts[kind] += 1

    def _length(self) -> float:
        return self._rng.uniform(0.2, 2.0)

    def _kill_one_api_worker(self) -> None:
        if self.service.api_workers():
            self.service.kill_one_api_worker()

    def _kill(self, name: str, length: float) -> None:
        self.service.kill(name)
        began = time.monotonic()
        time.sleep(length)  # the length of an outage is what this is about
        ended = time.monotonic()
        self.service.start(name)
        if name in ("api", "redis"):
            self.outages.append(Outage(f"{name} down", began, ended))

    def _freeze(self, name: str) -> None:
        with self.service.frozen(name):
            began = time.monotonic()
            time.sleep(self._length())
            ended = time.monotonic()
        self.outages.append(Outage(f"{name} frozen", began, ended))

    def _arm(self, point: dying.Point) -> None:
        dying.arm(self.service.var, point)

    def _end_redis(self, point: dying.Point) -> None:
        """Redis is gone once somebody has come to the point; it is started again."""
        victim = self.service.pid("redis")
        dying.arm(self.service.var, point, victim)
        self.service.wait_for_end("redis", 20.0)
        self.service.start("redis")
