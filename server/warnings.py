"""What is wrong and does not end the service, for `/readyz`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from redis.exceptions import RedisError

from referee.archive_index.manifest import Manifest


class WarningWatch:
    """Warnings as this process last read them."""

    def __init__(
        self,
        read: Callable[[], Sequence[str]],
        every_s: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read, self._every_s, self._monotonic, self._due = read, every_s, monotonic, 0.0
        self.warnings: Sequence[str] = ()

    def look(self) -> None:
        """Read them if that is due. While Redis is away, the last reading stands."""
        if self._monotonic() >= self._due:
            with suppress(RedisError):
                self.warnings = self._read()
            self._due = self._monotonic() + self._every_s


def damaged(manifest: Manifest) -> list[str]:
    """Return a warning for damaged objects of the archive. Raise `RedisError`."""
    found = manifest.damaged()
    return [f"archive: {len(found)} objects are missing or damaged, such as {found[0]}"] if found else []
