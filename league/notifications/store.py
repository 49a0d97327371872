"""What the store of event logs returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class LoggedEvents(NamedTuple):
    """A part of an event log."""

    last: int
    """The number of the last event of the log."""
    first: int
    """The number of the first of `events`, or of the next event."""
    events: Sequence[bytes]
    """The events as JSON, in order."""
    is_gap: bool
    """Whether events are missing before the first: the log does not reach back far enough."""
