"""The anchors: ratings of house bots that never change, by preset.

`house/greedy` is the zero of the scale: 1500 in every preset. What stands in the table was measured against it on
duplicate groups played without a server, and is written here from what this prints:

    python -m tests.bots.anchors GROUPS

A house bot that a preset's table does not name is rated in it as any bot is; so is one that thinks by the clock, since
how strong it is goes by the machine and its load.
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
    """The fixed rating of this bot in this preset, or `None`."""
    if name == ZERO:
        return _ZERO
    return MEASURED.get(preset, {}).get(name)


def mark(preset: str) -> str:
    """What changes when a preset's anchors do: ratings that were reckoned with others are reckoned again."""
    said = repr((ZERO, _ZERO, sorted(MEASURED.get(preset, {}).items())))
    return hashlib.sha256(said.encode()).hexdigest()[:16]
