"""Instants as text: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime


def text_of(ms: int) -> str:
    """`1763683200123` -> `2025-11-21T00:00:00.123Z`."""
    seconds, rest = divmod(ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


def ms_of(text: str) -> int:
    """The other way round, any offset. Raises `ValueError` for what is no instant with an offset."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("an instant has an offset or Z at its end")
    return round(instant.timestamp() * 1000)
