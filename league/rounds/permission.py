"""Whether anything new may be made."""

from __future__ import annotations

from referee.errors import RefereeError
from referee.service.admission import admit
from referee.service.store import ServiceControl


class NewMatchGate:
    """Rounds start, and go on, while the service runs; without a service always."""

    def __init__(self, service: ServiceControl | None) -> None:
        self._service = service

    def ask(self) -> None:
        """Raises `ServicePaused` or `ServiceDraining`."""
        if self._service is not None:
            admit(self._service)

    def given(self) -> bool:
        """Whether `ask` raises nothing."""
        try:
            self.ask()
        except RefereeError:
            return False
        return True
