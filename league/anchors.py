"""The anchors: ratings of house bots that never change, by preset.

`house/greedy` is the zero of the scale: 1500 in every preset. What stands in the table was measured against it on
duplicate groups played without a server, and is written here from what this prints:

    python -m tests.bots.anchors GROUPS

A house bot that a preset's table does not name is rated in it as any bot is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

Anchor = tuple[float, float]
"""mu and sigma."""

ZERO: Final = "house/greedy"
_ZERO: Final[Anchor] = (1500.0, 1.0)
"""Its sigma is a point only because the model divides by it."""

MEASURED: Final[Mapping[str, Mapping[str, Anchor]]] = {}
"""By preset and full name."""


def anchor(preset: str, name: str) -> Anchor | None:
    """The fixed rating of this bot in this preset, or `None`."""
    if name == ZERO:
        return _ZERO
    return MEASURED.get(preset, {}).get(name)


def mark(preset: str) -> str:
    """What changes when a preset's anchors do: ratings that were reckoned with others are reckoned again."""
    said = repr((ZERO, _ZERO, sorted(MEASURED.get(preset, {}).items())))
    return hashlib.sha256(said.encode()).hexdigest()[:16]
