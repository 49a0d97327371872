"""Whether the service accepts new matches, groups and rounds."""

from __future__ import annotations

from referee.errors import ServiceDraining, ServicePaused, StorageFull
from referee.service.state import ServiceState
from referee.service.store import ServiceControl


def admit(service: ServiceControl) -> None:
    """Raise `ServicePaused`, `ServiceDraining` or `StorageFull` while nothing new may be created."""
    status = service.status()
    why = f" ({status.reason})" if status.reason else ""
    if status.state is ServiceState.PAUSED:
        raise ServicePaused(f"the service is paused{why}: no clock runs, and nothing new is created")
    if status.state is ServiceState.DRAINING:
        raise ServiceDraining(
            f"the service is draining{why}: matches are played to their end, and nothing new is created"
        )
    if status.full:
        raise StorageFull(
            "the store is nearly full: matches are played to their end, and nothing new is created"
        )
