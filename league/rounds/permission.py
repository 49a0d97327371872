"""Whether rounds may start or proceed."""

from __future__ import annotations

from referee.errors import RefereeError
from referee.service.admission import admit
from referee.service.redis import RedisService


class NewMatchGate:
    """Open while the service creates matches: rounds then start and proceed. Always open without a service control."""

    def __init__(self, service: RedisService | None) -> None:
        self._service = service

    def check(self) -> None:
        """Raise `ServicePaused`, `ServiceDraining` or `StorageFull` unless new matches may be created."""
        if self._service is not None:
            admit(self._service)

    def is_open(self) -> bool:
        """Return whether `check` would not raise."""
        try:
            self.check()
        except RefereeError:
            return False
        return True
