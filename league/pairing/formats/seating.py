"""In which circular order those at a table sit, so that partners and neighbours change."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Final

from league.pairing.formats.field import Meeting, PastMeetings, chance
from league.pairing.plan import Entrant
from league.pairing.seatings import arranged

LOOKED_AT: Final = 24
"""How many circular orders of a table are compared: all up to five seats, of more seats so many drawn ones."""
IN_ALL: Final = 20_000
"""How many are compared for all tables together. Where there are very many, chance evens them out by itself."""


def seated(
    tables: Sequence[Sequence[Entrant]], sides: Sequence[int], met: PastMeetings, seed: str
) -> list[Meeting]:
    """These tables one after the other, each in the least stale of its circular orders (`PastMeetings.strain`), which
    is counted."""
    found = []
    looks = max(1, min(LOOKED_AT, IN_ALL // max(1, len(tables))))
    for number, table in enumerate(tables):
        orders = _orders(table, looks, f"{seed} {number}")
        best = min(orders, key=lambda order: met.strain(order, sides))
        met.seat(best, sides)
        found.append(best)
    return found


def _orders(table: Sequence[Entrant], most: int, seed: str) -> list[Meeting]:
    """All circular orders of a table, or so many that are drawn."""
    every = factorial(len(table) - 1)
    first = int.from_bytes(chance(seed)[:8])
    # A stride that shares no factor with their count meets each once, and far ones soon.
    stride = 1 if every <= most else 1_000_003
    return [arranged(table, 0, first + number * stride) for number in range(min(every, most))]
