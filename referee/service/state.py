"""The state of the service. All processes share it, and it outlives them."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from records.instants import text_of


class ServiceState(enum.StrEnum):
    RUNNING = "running"
    DRAINING = "draining"
    """Matches, groups and rounds are played to their end. Nothing new is created."""
    PAUSED = "paused"
    """Service time stands still, so no clock runs and moves cost no time. Nothing new is created."""


class Space(enum.IntEnum):
    """What the space of a store is enough for."""

    AMPLE = 0
    SCARCE = 1
    """For running matches to end. Nothing new is played."""
    LAST = 2
    """For the moves of running matches alone."""


class ServiceStatus(NamedTuple):
    """The state of the service and the decision that led to it."""

    state: ServiceState = ServiceState.RUNNING
    since: int = 0
    """When it was decided, in ms since 1970 by the store's clock; 0 before the first decision."""
    reason: str = ""
    decision: int = 0
    """How many decisions were made so far."""
    settled: bool = True
    """Whether the clocks of all buckets follow the decision."""
    space: Space = Space.AMPLE
    """The free memory and disk of the store."""
    announcement: str = ""
    """What the operators tell everybody; empty for nothing."""

    def to_json(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "since": text_of(self.since) if self.since else None,
            "reason": self.reason,
        }
