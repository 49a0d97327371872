"""The endgame sets of the package: `sets/GAME-VERSION.ndjson`, an ending per line, under CC0 1.0.

A published set never changes. `tools/endings.py` makes sets.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

from records.endings.model import ExactEnding

SETS: Final = {
    "durak": ("durak-1", "durak-transfer-1", "durak-teams-1"),
    "kryt": ("kryt-1",),
    "svoi_kozyri": ("svoi_kozyri-1", "besikovich-1"),
    "king": ("king-1",),
}
"""By game, the sets that are current. Each has one table."""
NAMES: Final = tuple([name for names in SETS.values() for name in names])
"""All current sets."""


@cache
def endings_of(game: str) -> tuple[ExactEnding, ...]:
    """Return the current sets of a game, or the set with this name; nothing for any other text."""
    names = SETS.get(game, (game,) if game in NAMES else ())
    return tuple([ending for name in names for ending in parsed(text_of(name))])


def text_of(name: str) -> str:
    """Return a set as it is stored."""
    return (files("records.endings") / "sets" / f"{name}.ndjson").read_text(encoding="utf-8")


def parsed(text: str) -> tuple[ExactEnding, ...]:
    """Return the endings of these lines. Raise `ValueError` for what is not one, with the number of its line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found.append(ExactEnding.from_json(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError) as why:
            raise ValueError(f"line {number} is not an ending: {why}") from why
    return tuple(found)
