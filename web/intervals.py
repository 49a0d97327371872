"""The intervals of a table, drawn on one axis."""

from __future__ import annotations

from collections.abc import Iterable


def ends_of(intervals: Iterable[tuple[float | None, float | None]]) -> tuple[float, float] | None:
    """Return the least and the greatest end of intervals; `None` if none has any."""
    ends = [end for each in intervals for end in each if end is not None]
    return (min(ends), max(ends)) if ends else None
