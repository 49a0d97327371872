"""Whether the service runs, drains or is paused: one state for all of its processes, which survives their end.

running   all goes on
draining  what has been made is played to its end; nothing new is made
paused    service time stands still, so no clock runs; nothing new is made. Moves are made, and cost nothing
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol

from referee.errors import ServiceDraining, ServicePaused
from referee.instants import text_of


class ServiceState(enum.StrEnum):
    """See the module."""

    RUNNING = "running"
    DRAINING = "draining"
    PAUSED = "paused"


class ServiceStatus(NamedTuple):
    """How the service stands. `since` is in ms since 1970 by the store's own clock, 0 before anybody decided."""

    state: ServiceState = ServiceState.RUNNING
    since: int = 0
    reason: str = ""
    decision: int = 0
    """How many times it was changed so far."""
    settled: bool = True
    """Whether every clock has heard of it."""

    def to_json(self) -> dict[str, Any]:
        """As it is told."""
        return {
            "state": self.state,
            "since": text_of(self.since) if self.since else None,
            "reason": self.reason,
        }


class ServiceControl(Protocol):
    """The port. `referee.service.redis` is its Redis form."""

    def standing(self) -> ServiceStatus:
        """How the service stands."""

    def change(self, state: ServiceState, reason: str) -> ServiceStatus:
        """The service in this state, every clock and every waiting poll told. The same state again changes nothing but
        repairs what somebody left half done."""

    def keep(self) -> ServiceStatus:
        """How the service stands, and what somebody left half done repaired. For heartbeats."""


def admit(service: ServiceControl) -> None:
    """Raises `ServicePaused` or `ServiceDraining` while nothing new may be made."""
    standing = service.standing()
    why = f" ({standing.reason})" if standing.reason else ""
    if standing.state is ServiceState.PAUSED:
        raise ServicePaused(f"the service is paused{why}: no clock runs, and nothing new is made meanwhile")
    if standing.state is ServiceState.DRAINING:
        raise ServiceDraining(
            f"the service drains{why}: what was made is played to its end, and nothing new is made"
        )
