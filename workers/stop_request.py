"""A request to stop that a signal handler can make."""

from __future__ import annotations

import contextlib
import threading


class StopRequest:
    """What `threading.Event` is, for one waiting thread and for signal handlers.

    A handler runs in the main thread between any two instructions. Inside `Event.wait` that thread holds a lock which
    `Event.set` takes, so it would wait for itself for ever. Here `set` only releases a lock, and never waits for one.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._held_until_set = threading.Lock()
        self._held_until_set.acquire()

    def is_set(self) -> bool:
        """Return whether somebody has asked to stop."""
        return self._is_set

    def set(self) -> None:
        """Ask to stop. Safe in signal handlers and from any thread."""
        self._is_set = True
        with contextlib.suppress(RuntimeError):  # The lock is free already: somebody asked before
            self._held_until_set.release()

    def wait(self, seconds: float) -> bool:
        """Wait for the request for at most `seconds`, and return whether it came."""
        if not self._is_set:
            self._held_until_set.acquire(timeout=max(0.0, seconds))
        return self._is_set
