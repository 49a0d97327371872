"""Log refused requests: a flood of them writes few lines and hides nobody else's.

The first refusals of each client get a log line each. The others are counted, and logged in one line when the interval
ends.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

log = structlog.get_logger("kozyr.api")

EVERY_S: Final = 10.0
"""The length of an interval, which begins with its first refusal."""
FIRST: Final = 10
"""Refusals of each client with a line of their own in an interval."""
MOST: Final = 100
"""Clients counted separately in an interval. The others are counted together, as `OTHERS`."""
OTHERS: Final = "others"


class Refusals:
    """Counts refusals by client. Thread-safe; each process counts for itself."""

    def __init__(self, *, every: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        """With `every`, log each refusal."""
        self._every, self._clock = every, clock
        self._lock = threading.Lock()
        self._until: float | None = None
        self._seen: dict[str, Counter[str]] = {}

    def is_worth_a_line(self, whom: str, what: str) -> bool:
        """Count a refusal of this bot, owner or address. Return whether it gets a log line of its own."""
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
        """Log the counts of an interval that has ended, or with `now` of the current one.

        Called periodically, so that the last counts are logged too.
        """
        with self._lock:
            if self._until is None or not (now or self._clock() >= self._until):
                return
            self._until, seen, self._seen = None, self._seen, {}
        for whom, counts in seen.items():
            if counts.total() > FIRST:
                log.warning(
                    "requests refused", whom=whom, count=counts.total(), with_lines=FIRST, what=dict(counts)
                )
