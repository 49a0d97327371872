"""What commands share that write for people: where they print, and how they print what others made up."""

from __future__ import annotations

from rich.console import Console


def console() -> Console:
    """Where results are printed: where there is no terminal, wide enough for them."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(width=120, highlight=False)


def harmless(text: object) -> str:
    """A text that somebody made up: nothing in it may steer a terminal."""
    return "".join(each if each.isprintable() else "?" for each in str(text))
