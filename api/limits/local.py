"""Rate counters of one process, for requests that must not depend on Redis."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Final

MOST_COUNTERS: Final = 10_000


class LocalCounters:
    """Counts in fixed windows. The counter that began first is forgotten first."""

    def __init__(self) -> None:
        self._counters: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By key, the count and the end of its window."""

    def count(self, key: str, window_s: int, amount: int = 1) -> tuple[int, float]:
        """Add to a counter whose window begins with its first count. Return the total and the seconds that remain."""
        now = time.monotonic()
        total, end = self._counters.get(key, (0, 0.0))
        if end <= now:
            self._counters.pop(key, None)
            total, end = 0, now + window_s
        self._counters[key] = (total + amount, end)
        if len(self._counters) > MOST_COUNTERS:
            self._counters.popitem(last=False)
        return total + amount, end - now
