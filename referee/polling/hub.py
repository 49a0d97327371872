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

from referee.service.state import ServiceState
from referee.storage.index import Probe

MOST_POLLS: Final = 8
"""How many polls of one bot may wait in one process; the oldest is answered when one more comes."""
MOST_WAITS: Final = 256
"""The same of other waits of one bot, or of one address without a token: for a match's next turn, or its events."""


EVERYBODY: Final = "*"
"""In the place of a key: the service has changed its state, which everybody who waits is told."""


class Waiter:
    """One greenlet or thread that waits."""

    __slots__ = ("_woken", "gives_way", "probes")

    def __init__(self) -> None:
        self.gives_way = False
        """Whether somebody else waits in this one's place."""
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

    def __init__(self, most_polls: int = MOST_POLLS, most_waits: int = MOST_WAITS) -> None:
        self._waiters: dict[str, set[Waiter]] = {}
        self._held: dict[tuple[str, bool], OrderedDict[Waiter, None]] = {}
        self._most = {True: most_polls, False: most_waits}
        self._lock = threading.Lock()
        self.closed = False
        """Whether the process is about to stop: every waiter is answered with what there is."""
        self.waiting = 0
        """How many wait now."""
        self.service = ServiceState.RUNNING
        """What everybody is told of the service."""
        self._decision = 0

    @contextmanager
    def waiter(self, key: str, holder: str, poll: bool = False) -> Iterator[Waiter]:
        """A registered waiter of this holder: at most so many of its polls, and of its other waits, may be at a time;
        the oldest gives way."""
        waiter = Waiter()
        with self._lock:
            here = self._waiters.setdefault(key, set())
            mine = self._held.setdefault((holder, poll), OrderedDict())
            here.add(waiter)
            mine[waiter] = None
            self.waiting += 1
            if len(mine) > self._most[poll]:
                oldest, _ = mine.popitem(last=False)
                oldest.gives_way = True
                oldest.wake()
        try:
            yield waiter
        finally:
            with self._lock:
                self.waiting -= 1
                here.discard(waiter)
                mine.pop(waiter, None)
                if not here and self._waiters.get(key) is here:
                    del self._waiters[key]
                if not mine and self._held.get((holder, poll)) is mine:
                    del self._held[holder, poll]

    def must_answer(self, waiter: Waiter) -> bool:
        """Whether a waiter is to be answered now, with or without news."""
        return self.closed or waiter.gives_way

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
