"""Instants as text: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def text_of(ms: int) -> str:
    """`1763683200123` -> `2025-11-21T00:00:00.123Z`."""
    seconds, rest = divmod(ms, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


@lru_cache(maxsize=256)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def ms_of(text: str) -> int:
    """The other way round, any offset. Raises `ValueError` for what is no instant with an offset."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("an instant has an offset or Z at its end")
    return round(instant.timestamp() * 1000)
