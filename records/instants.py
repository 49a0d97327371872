"""Instants as text: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def text_of(ms: int) -> str:
    """Return an instant in ms since 1970 as text: `1763683200123` as `2025-11-21T00:00:00.123Z`."""
    seconds, rest = divmod(ms, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


@lru_cache(maxsize=256)
def _second(seconds: int) -> str:
    # Without the offset. `strftime` takes ten times as long, and local tournaments have two instants a match.
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:-6]


def ms_of(text: str) -> int:
    """Return an instant with any offset in ms since 1970. Raises `ValueError` for a text without an offset."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("an instant needs an offset or Z at its end")
    return round(instant.timestamp() * 1000)
