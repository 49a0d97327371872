"""The hub of a process: it wakes requests that wait for a match or a bot, so that they need not poll the store.

A wake-up only says that a look may be worthwhile. A waiter registers first, then looks, then waits, so that it misses
no wake-up in between. Once a second a sweep compares what all waiters last saw with the store (`Waiter.probes`). So a
lost wake-up delays a response by a second at most.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from referee.polling.waiter import Waiter
from referee.service.state import ServiceState

MOST_POLLS: Final = 8
"""How many polls of one bot may wait in one process. Another one answers the oldest."""
MOST_WAITS: Final = 256
"""How many other requests of one bot, or of one address without a token, may wait: for a turn, or for events."""


class Hub:
    """All waiters of a process by key: the id of a match or a bot."""

    def __init__(self, most_polls: int = MOST_POLLS, most_waits: int = MOST_WAITS) -> None:
        self._waiters: dict[str, set[Waiter]] = {}
        self._held: dict[tuple[str, bool], OrderedDict[Waiter, None]] = {}
        self._most = {True: most_polls, False: most_waits}
        self._lock = threading.Lock()
        self.closed = False
        """Whether the process is about to stop. Every waiter answers with what there is."""
        self.waiting = 0
        """The number of waiting requests."""
        self.service = ServiceState.RUNNING
        """The state of the service, as responses report it."""
        self._decision = 0

    @contextmanager
    def waiter(self, key: str, holder: str, poll: bool = False, also: Sequence[str] = ()) -> Iterator[Waiter]:
        """Yield a waiter of a request that is registered under `key`, and under the keys `also`.

        `holder` is the bot or address that waits. If it has too many polls or other waiters, the oldest gives way.
        """
        with self.registered(key, *also) as waiter:
            with self._lock:
                mine = self._held.setdefault((holder, poll), OrderedDict())
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
                    mine.pop(waiter, None)
                    if not mine and self._held.get((holder, poll)) is mine:
                        del self._held[holder, poll]

    @contextmanager
    def registered(self, *keys: str) -> Iterator[Waiter]:
        """Yield a waiter that is registered under these keys, for a request or for a part of this process."""
        waiter = Waiter()
        with self._lock:
            for key in keys:
                self._waiters.setdefault(key, set()).add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                for key in keys:
                    here = self._waiters[key]
                    here.discard(waiter)
                    if not here:
                        del self._waiters[key]

    def must_answer(self, waiter: Waiter) -> bool:
        """Return whether a waiter must answer now, with or without news."""
        return self.closed or waiter.gives_way

    def wake(self, *keys: str) -> None:
        for key in keys:
            if key not in self._waiters:  # mostly nobody of this process waits
                continue
            with self._lock:
                waiters = list(self._waiters.get(key, ()))
            for waiter in waiters:
                waiter.wake()

    def announce(self, decision: int, state: ServiceState) -> None:
        """Note the state of the service and wake all waiters, once per decision. Older decisions are ignored."""
        with self._lock:
            if decision <= self._decision:
                return
            self._decision, self.service = decision, state
        self.wake_all()

    def wake_all(self) -> None:
        """Wake all waiters, for example after an interruption that may have lost wake-ups."""
        for waiter in self.everybody():
            waiter.wake()

    def everybody(self) -> list[Waiter]:
        with self._lock:
            return list({waiter for waiters in self._waiters.values() for waiter in waiters})

    def close(self) -> None:
        """Make every waiter answer at once, from now on."""
        self.closed = True
        self.wake_all()
