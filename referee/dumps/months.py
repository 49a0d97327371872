"""Months in UTC, as text (`2026-11`), and which dump has a match."""

from __future__ import annotations

from datetime import UTC, datetime


def month_of(ms: int) -> str:
    """Return the month of an instant in ms since 1970."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m}"


def following(month: str) -> str:
    """Return the month after this one."""
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04d}-{number % 12 + 1:02d}"


def start_of(month: str) -> int:
    """Return the first instant of a month, in ms since 1970."""
    return round(datetime(int(month[:4]), int(month[5:]), 1, tzinfo=UTC).timestamp() * 1000)


def end_of(month: str) -> int:
    """Return the first instant after a month, in ms since 1970."""
    return start_of(following(month))


def belongs(ended: int, *, month: str, new: bool) -> bool:
    """Return whether the dump of `month` has a match that ended at this instant.

    `new` says that no earlier dump covered the match's segment. Such a match is in the dump of its own month, or in
    this one if it is late: its month had been dumped before the match was archived. So each match is in one dump.
    """
    own = month_of(ended)
    return own == month or (new and own < month)
