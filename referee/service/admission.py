"""Whether the service accepts new matches, groups and rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from records.errors import RefereeError
from referee.errors import ServiceDraining, ServicePaused, StorageFull
from referee.service.redis import RedisService
from referee.service.state import ServiceState, Space

LOOK_S: Final = 1.0
"""How long a process remembers whether there is space."""


class SpaceGate:
    """Refuses requests that are not needed to end running matches, while hardly any space is left. Safe to share
    between greenlets and threads."""

    def __init__(self, service: RedisService, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._service, self._monotonic = service, monotonic
        self._exhausted, self._look_at = False, -LOOK_S

    def check(self) -> None:
        """Raise `StorageFull` while half of the space is gone that running matches need to end."""
        now = self._monotonic()
        if now - self._look_at >= LOOK_S:
            self._exhausted, self._look_at = self._service.status().space is Space.LAST, now
        if self._exhausted:
            raise StorageFull("the store is nearly full: only moves in running matches are accepted")


def admit(service: RedisService) -> None:
    """Raise `ServicePaused`, `ServiceDraining` or `StorageFull` while nothing new may be created."""
    status = service.status()
    why = f" ({status.reason})" if status.reason else ""
    if status.state is ServiceState.PAUSED:
        raise ServicePaused(f"the service is paused{why}: no clock runs, and nothing new is created")
    if status.state is ServiceState.DRAINING:
        raise ServiceDraining(
            f"the service is draining{why}: matches are played to their end, and nothing new is created"
        )
    if status.space is not Space.AMPLE:
        raise StorageFull(
            "the store is nearly full: matches are played to their end, and nothing new is created"
        )


def admits(service: RedisService) -> bool:
    """Return whether `admit` would not raise."""
    try:
        admit(service)
    except RefereeError:
        return False
    return True
