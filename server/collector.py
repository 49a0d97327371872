"""Garbage collector tuning."""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 20_000
"""New objects between collections; the default is 700. A step of a round creates about 100,000 objects, standings of a
thousand bots not many fewer, and reference counting frees them."""


def exempt_from_collection() -> None:
    """Exempt all present objects from collection and collect less often. Call this when startup is complete.

    Collections took 3 % of a worker's time and delayed answers by 30 ms. A worker inherits its master's objects. The
    collector never touches them, so their memory stays shared.
    """
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)
    gc.enable()
