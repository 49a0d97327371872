"""Refused requests in the log: a flood of them writes few lines and hides nothing. Of each who sends them the first
have lines of their own; the others are counted, and told in one line when the interval is over."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

log = structlog.get_logger("kozyr.api")

EVERY_S: Final = 10.0
"""How long an interval is; it begins with its first refusal."""
FIRST: Final = 10
"""So many of each have lines of their own in an interval."""
MOST: Final = 100
"""So many are told apart in an interval; the others are counted together, as `OTHERS`."""
OTHERS: Final = "others"


class Refusals:
    """See the module. Safe to share between greenlets and threads; each process counts for itself."""

    def __init__(self, *, every: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        """With `every` each has a line, however many come."""
        self._every, self._clock = every, clock
        self._lock = threading.Lock()
        self._until: float | None = None
        self._seen: dict[str, Counter[str]] = {}

    def is_worth_a_line(self, whom: str, what: str) -> bool:
        """Count a refusal of a request of this bot, owner or address; whether it is to have a line of its own."""
        if self._every:
            return True
        self.flush()
        with self._lock:
            if self._until is None:
                self._until = self._clock() + EVERY_S
            counts = self._seen.setdefault(
                whom if whom in self._seen or len(self._seen) < MOST else OTHERS, Counter()
            )
            counts[what] += 1
            return counts.total() <= FIRST

    def flush(self, *, now: bool = False) -> None:
        """Tell what an interval that is over has counted; `now`: also one that is not. Called now and then, so that
        what came last is told too."""
        with self._lock:
            if self._until is None or not (now or self._clock() >= self._until):
                return
            self._until, seen, self._seen = None, self._seen, {}
        for whom, counts in seen.items():
            if counts.total() > FIRST:
                log.warning(
                    "requests refused", whom=whom, count=counts.total(), with_lines=FIRST, what=dict(counts)
                )
