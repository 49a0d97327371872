"""The circular order at each table, chosen so that partners and neighbours change."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Final

from league.pairing.formats.field import Meeting, PastMeetings, chance
from league.pairing.plan import Entrant
from league.pairing.seatings import arranged

LOOKED_AT: Final = 24
"""How many circular orders of a table are compared: all up to five seats, else a sample."""
IN_ALL: Final = 20_000
"""How many orders are compared over all tables. With very many tables chance alone evens them out."""


def seated(
    tables: Sequence[Sequence[Entrant]], sides: Sequence[int], met: PastMeetings, seed: str
) -> list[Meeting]:
    """Return the tables in order, each in the circular order with the least `PastMeetings.strain`, and count them."""
    seatings = []
    per_table = max(1, min(LOOKED_AT, IN_ALL // max(1, len(tables))))
    for number, table in enumerate(tables):
        orders = _orders(table, per_table, f"{seed} {number}")
        best = min(orders, key=lambda order: met.strain(order, sides))
        met.seat(best, sides)
        seatings.append(best)
    return seatings


def _orders(table: Sequence[Entrant], most: int, seed: str) -> list[Meeting]:
    """Return all circular orders of a table, or a sample of `most`."""
    every = factorial(len(table) - 1)
    first = int.from_bytes(chance(seed)[:8])
    # The stride is coprime to the number of orders, so no order repeats, and the sample spreads.
    stride = 1 if every <= most else 1_000_003
    return [arranged(table, 0, first + number * stride) for number in range(min(every, most))]
