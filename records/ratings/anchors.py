"""Anchors: ratings of house bots that never change, by preset.

`house/greedy` is the zero of the scale: 1500 in every preset. The other anchors were measured against it on local
duplicate groups. This command prints the table:

    python -m tests.bots.anchors GROUPS

House bots without an anchor in a preset are rated like any bot. So are bots that think by the clock, since their
strength depends on the machine and its load.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

Anchor = tuple[float, float]
"""mu and sigma."""

ZERO: Final = "house/greedy"
_ZERO: Final[Anchor] = (1500.0, 1.0)
"""The sigma of one point only avoids a division by zero in the model."""

MEASURED: Final[Mapping[str, Mapping[str, Anchor]]] = {
    "durak/2": {"house/random": (619.0, 94.0)},
    "durak/3": {"house/random": (405.0, 99.0)},
    "durak/4": {"house/random": (314.0, 99.0)},
    "durak/5": {"house/random": (329.0, 96.0)},
    "durak/6": {"house/random": (116.0, 102.0)},
    "durak/4/teams=true": {"house/random": (643.0, 93.0)},
    "durak/6/teams=true": {"house/random": (894.0, 75.0)},
    "durak/2/batch_attacks=true": {"house/random": (744.0, 89.0)},
    "kryt/2": {"house/random": (901.0, 70.0)},
    "kryt/3": {"house/random": (522.0, 93.0)},
    "kryt/4": {"house/random": (475.0, 85.0)},
    "kryt/5": {"house/random": (93.0, 107.0)},
    "kryt/6": {"house/random": (196.0, 103.0)},
    "kryt/7": {"house/random": (-75.0, 108.0)},
    "kryt/8": {"house/random": (-228.0, 115.0)},
    "kryt/9": {"house/random": (-327.0, 119.0)},
    "kryt/10": {"house/random": (-451.0, 125.0)},
    "kryt/11": {"house/random": (-540.0, 127.0)},
    "kryt/2/trumps=fixed": {"house/random": (1010.0, 61.0)},
    "svoi_kozyri/2": {"house/random": (500.0, 103.0)},
    "svoi_kozyri/3": {"house/random": (252.0, 105.0)},
    "svoi_kozyri/4": {"house/random": (183.0, 103.0)},
    "svoi_kozyri/2/layout=besikovich/pickup=whole_pile": {"house/random": (430.0, 106.0)},
    "king/4": {"house/random": (326.0, 102.0)},
}
"""By preset and full name."""


def anchor(preset: str, name: str) -> Anchor | None:
    """Return the fixed rating of a bot in a preset, or `None`."""
    if name == ZERO:
        return _ZERO
    return MEASURED.get(preset, {}).get(name)


def mark(preset: str) -> str:
    """Return a digest of a preset's anchors. Ratings computed with other anchors are computed again."""
    text = repr((ZERO, _ZERO, sorted(MEASURED.get(preset, {}).items())))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
