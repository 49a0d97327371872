"""What a process computes for many readers, and computes again after some seconds."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

T = TypeVar("T")

RECENT_S: Final = 3.0
"""How old a value may be, in seconds."""
_MOST: Final = 256
"""How many values are kept."""


class Recent:
    """Values by key. Safe to share between greenlets and threads."""

    def __init__(self, seconds: float = RECENT_S, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._monotonic = seconds, monotonic
        self._kept: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value of a key. While one reader computes it again, the others get the old one."""
        now, known = self._monotonic(), self._kept.get(key)
        if known is not None:
            if now < known[0]:
                found: T = known[1]
                return found
            self._kept[key] = now + self._seconds, known[1]
        made = compute()
        self._kept[key] = self._monotonic() + self._seconds, made
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return made
