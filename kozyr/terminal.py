"""Printing for people: the console, and text from outside."""

from __future__ import annotations

from rich.console import Console


def console() -> Console:
    """Return the console for results. Without a terminal it is wide enough for tables."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(width=120, highlight=False)


def harmless(text: object) -> str:
    """Return text from outside with control characters replaced, so that it can't steer a terminal."""
    return "".join(each if each.isprintable() else "?" for each in str(text))
