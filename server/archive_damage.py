"""The damaged objects of the archive, for `/readyz`."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError

from referee.archive_index.manifest import Manifest

LOOK_S: Final = 5.0
"""How often a process looks for damaged objects, in seconds."""


class DamageWatch:
    """The damaged objects of the archive, as a process last saw them."""

    def __init__(self, manifest: Manifest, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._manifest, self._monotonic, self._due = manifest, monotonic, 0.0
        self._seen: list[str] = []

    def look(self) -> None:
        """Read them every `LOOK_S` seconds. While Redis is away, the last reading stands."""
        if self._monotonic() >= self._due:
            with suppress(RedisError):
                self._seen = self._manifest.damaged()
            self._due = self._monotonic() + LOOK_S

    def warnings(self) -> list[str]:
        """Return what readiness says about them. No I/O."""
        if not self._seen:
            return []
        return [f"archive: {len(self._seen)} objects are missing or damaged, such as {self._seen[0]}"]
