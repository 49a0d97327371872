"""A cache that is bounded by bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

T = TypeVar("T")

CACHE_BYTES: Final = 32 << 20
"""The bound of a process's cache, in bytes."""


class ByteCache:
    """A least-recently-used cache. Safe to share between greenlets and threads."""

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self._most, self._bytes = most, 0
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes of all values, as their makers gave them."""
        return self._bytes

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()
            self._bytes = 0

    def get(self, key: Hashable, make: Callable[[], tuple[T, int]]) -> T:
        """Return the value of this key. `make` returns one that is missing, with its size in bytes. Two callers may
        make the same value."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                value: T = found[0]
                return value
        value, size = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value, size
                self._bytes += size
            while self._bytes > self._most and self._values:
                _, (_, gone) = self._values.popitem(last=False)
                self._bytes -= gone
        return value
