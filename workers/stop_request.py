"""A request to stop that a signal handler can make."""

from __future__ import annotations

import contextlib
from queue import Empty, SimpleQueue


class StopRequest:
    """What `threading.Event` is, for one waiting thread and for signal handlers.

    A handler runs in the main thread between any two instructions. Inside `Event.wait` that thread holds a lock which
    `Event.set` takes, so it would wait for itself for ever. `SimpleQueue.put` is reentrant (Python library reference,
    queue).
    """

    def __init__(self) -> None:
        self._is_set = False
        self._wakeups: SimpleQueue[None] = SimpleQueue()

    def is_set(self) -> bool:
        """Return whether somebody has asked to stop."""
        return self._is_set

    def set(self) -> None:
        """Ask to stop. Safe in signal handlers and from any thread."""
        self._is_set = True
        self._wakeups.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait for the request for at most `seconds`, and return whether it came."""
        if not self._is_set:
            with contextlib.suppress(Empty):
                self._wakeups.get(timeout=seconds)
        return self._is_set
