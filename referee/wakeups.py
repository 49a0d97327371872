"""Waiting without asking: one hub a process wakes whoever waits for a match or a bot.

A wake-up says only that it is worth looking. Who waits registers first, then looks, then waits, so that no
wake-up between is lost; and once a second a sweep looks for all waiters at once at what they last saw
(`Waiter.probes`), so that a wake-up which never came costs a second at most.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from referee.service import ServiceState

Probe = tuple[object, ...]
"""A command of the store whose answer changes when a waiter should look again."""

MOST_WAITERS: Final = 8
"""How many may wait under one key; the oldest is answered when one more comes."""


EVERYBODY: Final = "*"
"""In the place of a key: the service has changed its state, which everybody who waits is told."""


class Waiter:
    """One greenlet or thread that waits."""

    __slots__ = ("_woken", "key", "probes")

    def __init__(self, key: str) -> None:
        self.key = key
        self.probes: Mapping[Probe, object] = {}
        """What this waiter last saw, by the command that reads it."""
        self._woken = threading.Event()

    def wake(self) -> None:
        """Make the present or next `wait` return at once."""
        self._woken.set()

    def wait(self, seconds: float) -> None:
        """Until somebody wakes this waiter, or so many seconds are over."""
        self._woken.wait(max(0.0, seconds))

    def clear(self) -> None:
        """Call before looking: wake-ups from now on count."""
        self._woken.clear()


class Hub:
    """All waiters of a process by key: a match id, or a bot's id."""

    def __init__(self, most_waiters: int = MOST_WAITERS) -> None:
        self._waiters: dict[str, OrderedDict[Waiter, bool]] = {}
        self._most = most_waiters
        self._lock = threading.Lock()
        self.closed = False
        """Whether the process is about to stop: every waiter is answered with what there is."""
        self.waiting = 0
        """How many wait now."""
        self.service = ServiceState.RUNNING
        """What everybody is told of the service."""
        self._decision = 0

    @contextmanager
    def waiter(self, key: str, limited: bool = False) -> Iterator[Waiter]:
        """A registered waiter. With `limited`, at most so many may wait under the key, and the oldest gives way."""
        waiter = Waiter(key)
        with self._lock:
            mine = self._waiters.setdefault(key, OrderedDict())
            mine[waiter] = limited
            self.waiting += 1
            if limited and len(mine) > self._most:
                oldest, _ = mine.popitem(last=False)
                oldest.key = ""
                oldest.wake()
        try:
            yield waiter
        finally:
            with self._lock:
                self.waiting -= 1
                mine.pop(waiter, None)
                if not mine and self._waiters.get(key) is mine:
                    del self._waiters[key]

    def must_answer(self, waiter: Waiter) -> bool:
        """Whether a waiter is to be answered now, with or without news."""
        return self.closed or not waiter.key

    def wake(self, *keys: str) -> None:
        """Wake all who wait under these keys."""
        for key in keys:
            with self._lock:
                waiters = list(self._waiters.get(key, ()))
            for waiter in waiters:
                waiter.wake()

    def announce(self, decision: int, state: ServiceState) -> None:
        """The service is in this state since its decision of this number: everybody is woken to be told, once. An older
        decision after a newer one is no news."""
        with self._lock:
            if decision <= self._decision:
                return
            self._decision, self.service = decision, state
        self.wake_all()

    def wake_all(self) -> None:
        """Wake everybody, as after an interruption that may have swallowed wake-ups."""
        for waiter in self.everybody():
            waiter.wake()

    def everybody(self) -> list[Waiter]:
        """All who wait now."""
        with self._lock:
            return [waiter for waiters in self._waiters.values() for waiter in waiters]

    def close(self) -> None:
        """Answer everybody, now and from now on."""
        self.closed = True
        self.wake_all()
