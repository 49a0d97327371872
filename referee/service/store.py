"""The ports of the service's state and of its processes' heartbeats.

`referee.service.redis` and `referee.service.redis_processes` implement them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from referee.service.processes import Heartbeat, Process
from referee.service.state import ServiceState, ServiceStatus


class ServiceControl(Protocol):
    """Reads and changes the state of the service."""

    def status(self) -> ServiceStatus:
        """Return the status of the service."""

    def change(self, state: ServiceState, reason: str) -> ServiceStatus:
        """Put the service into this state, and tell every clock and every waiting poll.

        The same state again changes nothing, except that it completes a change that another process left half done.
        """

    def keep(self) -> ServiceStatus:
        """Complete a change that another process left half done, and return the status. Heartbeats call it."""


class ProcessStore(Protocol):
    """Keeps the heartbeats of all processes."""

    def heartbeat(self, process: Process, *, serves: bool = False) -> list[Heartbeat]:
        """Record that this process runs, and with `serves` that it serves bots. Returns all heartbeats."""

    def leave(self, names: Sequence[str]) -> None:
        """Remove the heartbeats of processes that ended."""
