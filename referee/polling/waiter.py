"""A request that waits. gunicorn's master imports this module, so it must import neither the rules nor the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from referee.storage.index import Probe


class Waiter:
    """Waits for wake-ups: for a greenlet, a thread or a callback."""

    __slots__ = ("_event", "gives_way", "on_wake", "probes", "woken")

    def __init__(self) -> None:
        self.gives_way = False
        """Whether a newer waiter has replaced this one."""
        self.probes: Mapping[Probe, object] = {}
        """The replies that this waiter last saw, by command."""
        self.woken = False
        """Whether it was woken since the last `clear`."""
        self.on_wake: Callable[[], None] | None = None
        """Called at each wake-up, for a waiter that does not wait in a greenlet or thread."""
        self._event: threading.Event | None = None

    def wake(self) -> None:
        """Make the current or next `wait` return at once."""
        self.woken = True
        event, on_wake = self._event, self.on_wake
        if event is not None:
            event.set()
        if on_wake is not None:
            on_wake()

    def wait(self, seconds: float) -> None:
        """Wait until `wake` is called, at most this many seconds."""
        event = self._event
        if event is None:
            event = self._event = threading.Event()
        # A wake-up before the event existed has only set `woken`.
        if not self.woken:
            event.wait(max(0.0, seconds))

    def clear(self) -> None:
        """Forget earlier wake-ups. Call it before looking."""
        if self._event is not None:
            self._event.clear()
        self.woken = False


class Pause(NamedTuple):
    """A point at which a request waits until its waiter is woken, or for some seconds."""

    waiter: Waiter
    seconds: float
