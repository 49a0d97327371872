"""The referee's durations and their defaults."""

from __future__ import annotations

from typing import NamedTuple


class RefereeTimings(NamedTuple):
    """The referee's own durations, in ms. Settings and limits take their defaults from here."""

    start_ms: int = 60_000
    """How long the seats have to show up."""
    open_ms: int = 3_600_000
    """How long a match may wait for its open seats."""
    settle_ms: int = 50
    """How long after deadline and grace a turn times out for good."""
    house_ms: int = 15_000
    """How long a match waits for the job of its house bots before the clock checks it again."""
