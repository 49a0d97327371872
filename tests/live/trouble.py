"""Faults behind the API: processes killed, frozen for a while, or ended at a point of a move."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final

from tests.live.law import Outage
from tests.support import dying
from tests.support.live import LiveService

NOT_REACHED_S: Final = 10.0
"""The time to wait for a process to reach an armed point."""


class Trouble:
    """A source of random faults in a service, with a log of its outages."""

    def __init__(self, service: LiveService, rng: random.Random, only: Collection[str] | None = None) -> None:
        """Set up the faults. `only` restricts their kinds."""
        self.service, self._rng = service, rng
        self.counts: Counter[str] = Counter()
        self.outages: list[Outage] = []
        self._kinds: Mapping[str, Callable[[], None]] = {
            "an API worker killed": self._kill_one_api_worker,
            "the API killed": partial(self._kill, "api"),
            "the API down for a while": partial(self._down, "api"),
            "the API frozen": partial(self._freeze, "api"),
            "Redis killed": partial(self._kill, "redis"),
            "Redis down for a while": partial(self._down, "redis"),
            "Redis frozen": partial(self._freeze, "redis"),
            "the clock killed": partial(self._kill, "clock"),
            "the worker killed": partial(self._kill, "worker"),
            **{f"an API worker ends {point}": partial(self._arm, point) for point in dying.KillPoint},
            **{f"Redis ends {point}": partial(self._end_redis, point) for point in dying.KillPoint},
        }
        self._choices = sorted(only or self._kinds)

    def strike(self) -> None:
        """Cause one fault. On return, everything runs again or will soon."""
        kind = self._rng.choice(self._choices)
        self._kinds[kind]()
        self.counts[kind] += 1

    def _length(self) -> float:
        return self._rng.uniform(0.2, 2.0)

    def _kill_one_api_worker(self) -> None:
        if self.service.api_workers():
            self.service.kill_one_api_worker()

    def _kill(self, name: str) -> None:
        self.service.kill(name)
        self.service.start(name)

    def _down(self, name: str) -> None:
        self.service.kill(name)
        began = time.monotonic()
        time.sleep(self._length())  # the length of an outage is the subject of the test
        self.outages.append(Outage(f"{name} down", began, time.monotonic()))
        self.service.start(name)

    def _freeze(self, name: str) -> None:
        with self.service.frozen(name):
            began = time.monotonic()
            time.sleep(self._length())  # the length of the outage, as in `_down`
            ended = time.monotonic()
        self.outages.append(Outage(f"{name} frozen", began, ended))

    def _arm(self, point: dying.KillPoint) -> None:
        dying.arm(self.service.var, point)

    def _end_redis(self, point: dying.KillPoint) -> None:
        """Restart Redis after a process has ended it at the given point."""
        victim = self.service.pid("redis")
        dying.arm(self.service.var, point, victim)
        try:
            self.service.wait_for_end("redis", NOT_REACHED_S)
        except subprocess.TimeoutExpired:
            if dying.disarm(self.service.var, point):
                return  # all matches are over, so no move reaches the point
            self.service.wait_for_end("redis", NOT_REACHED_S)
        self.service.start("redis")
