"""Whether rounds may start or proceed."""

from __future__ import annotations

from referee.errors import RefereeError
from referee.service.admission import admit
from referee.service.store import ServiceControl


class NewMatchGate:
    """Rounds start and proceed while the service runs. Without a service control they always may."""

    def __init__(self, service: ServiceControl | None) -> None:
        self._service = service

    def ask(self) -> None:
        """Raise `ServicePaused`, `ServiceDraining` or `StorageFull` unless new matches may be created."""
        if self._service is not None:
            admit(self._service)

    def given(self) -> bool:
        """Return whether `ask` would not raise."""
        try:
            self.ask()
        except RefereeError:
            return False
        return True
