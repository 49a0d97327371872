"""The durations that the referee itself defines. The settings of the service take their defaults from here."""

from __future__ import annotations

from typing import Final, NamedTuple


class RefereeTimings(NamedTuple):
    """The referee's own durations, in ms of service time."""

    start_ms: int = 60_000
    """How long the seats of a match have to show up."""
    open_ms: int = 3_600_000
    """How long a match may wait for its open seats."""
    settle_ms: int = 50
    """How long after deadline and grace a question times out for good."""
    house_ms: int = 15_000
    """How long the job that asks house bots may take before the deadline loop queues another one."""


DEFAULT_TIMINGS: Final = RefereeTimings()
"""What a deployment gets that sets nothing."""
TICK_MS: Final = 100
"""The longest pause between two passes of the deadline loop while a deadline or an entry of an outbox waits."""
IDLE_TICK_MS: Final = 250
"""The pause while nothing waits."""
