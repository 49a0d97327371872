"""The collector of cycles, told what it need not do."""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 20_000
"""It looks after so many new objects; 700 is its own choice. A step of a round makes a hundred thousand, and standings
of a thousand bots not many fewer, which die by themselves."""


def spare_collector() -> None:
    """Call it when the process is about to serve: what is there by now stays for good, and need not be looked through
    again and again, nor as often. That took 3 % of a worker's time, and stood in the way of answers for 30 ms at a time
    (docs/benchmarks.md)."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)
