"""Printing for people: the console, and text from outside."""

from __future__ import annotations

import os
from typing import Final

from rich.console import Console

NARROW: Final = 80
"""The width of results that do not go to a terminal, in columns."""


def console() -> Console:
    """Return the console for results. Without a terminal it has `COLUMNS` columns, or 80."""
    plain = Console(highlight=False, emoji=False)
    if plain.is_terminal:
        return plain
    columns = os.environ.get("COLUMNS", "")
    return Console(
        width=int(columns) if columns.isdecimal() and int(columns) > 0 else NARROW,
        highlight=False,
        emoji=False,
    )


def harmless(text: object) -> str:
    """Return text from outside with control characters replaced, so that it can't steer a terminal."""
    return "".join(each if each.isprintable() else "?" for each in str(text))
