"""Whether anybody looks at the service: the modification time of a file, which the API touches.

The demonstration rests while nobody looks, and must not ask the API. The file exists only where it plays.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from server.config.settings import Settings

REST_AFTER_S: Final = 600.0
"""After how many seconds without a look the demonstration rests."""
NOTE_EVERY_S: Final = 5.0
"""How often an API process touches the file at most, in seconds."""


def attention_of(settings: Settings) -> Attention:
    """Return the attention to the service of these settings."""
    return Attention(settings.var / "looked-at")


class Attention:
    """When somebody last looked. Safe to share between greenlets and threads."""

    def __init__(self, file: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._file, self._monotonic = file, monotonic
        self._next = 0.0

    def begin(self) -> None:
        """Create the file: somebody has just started the demonstration."""
        with contextlib.suppress(OSError):  # a full disk; then it rests
            self._file.touch(0o600)

    def note(self) -> None:
        """Note that somebody looks."""
        now = self._monotonic()
        if now >= self._next:
            self._next = now + NOTE_EVERY_S
            with contextlib.suppress(OSError):  # no demonstration plays here
                os.utime(self._file)

    def last(self) -> float:
        """Return when somebody last looked, in seconds since 1970."""
        try:
            return self._file.stat().st_mtime
        except OSError:
            return 0.0


class Nap:
    """Lets something rest while nobody looks, and wakes it for the next look."""

    def __init__(
        self,
        attention: Attention,
        wake: Callable[[], object],
        rest: Callable[[], object],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._attention, self._wake, self._rest, self._now = attention, wake, rest, now
        self.resting = False
        self._since = 0.0

    def begin(self) -> None:
        """Begin awake: somebody has just started it."""
        self._attention.begin()
        self._wake()

    def look(self) -> None:
        """Fall asleep or wake up, if it is time. Takes no request."""
        last = self._attention.last()
        if self.resting and last != self._since:
            self.resting = False
            self._wake()
        elif not self.resting and abs(self._now() - last) > REST_AFTER_S:
            self._rest()
            # The requests with which it falls asleep are no look.
            self.resting, self._since = True, self._attention.last()
