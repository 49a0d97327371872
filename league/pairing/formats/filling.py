"""Filling tables one after the other without rivals, so that as many are filled as can be.

With parties of c₁, c₂, … members no more than T tables of k can be filled at once, where T is the greatest number
with Σ min(cᵢ, T) ≥ k·T: each party has at most one seat of each table. A choice is made only if what remains still
fills the tables that are left, and it does so if taking the largest parties does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from typing import Any

from league.pairing.plan import Entrant

Cost = Callable[[Sequence[Entrant], Entrant], Any]
"""How little somebody suits those who sit at a table already: anything that can be compared, the least first."""


def most_tables(entrants: Iterable[Entrant], seats: int) -> int:
    """How many tables these can fill at once."""
    parties = Counter(entrant.party for entrant in entrants)
    tables = sum(parties.values()) // seats
    while tables and not _fill(parties, seats, tables):
        tables -= 1
    return tables


def filled(
    entrants: Sequence[Entrant], seats: int, cost: Cost, tables: int | None = None
) -> tuple[list[list[Entrant]], list[Entrant]]:
    """So many tables (as many as can be, if not said), and who is left over.

    Each table begins with the first entrant left for whom there is one, and takes in whoever costs least, of
    equals the first.
    """
    pool = list(entrants)
    parties = Counter(entrant.party for entrant in pool)
    left = most_tables(pool, seats) if tables is None else tables
    found: list[list[Entrant]] = []
    while left:
        table: list[Entrant] = []
        while len(table) < seats:
            # The first seat is for the first, in their own order.
            wanted = sorted(pool, key=lambda entrant: cost(table, entrant)) if table else pool
            chosen = next(each for each in wanted if _suits(parties, table, each, seats, left))
            table.append(chosen)
            pool.remove(chosen)
            parties[chosen.party] -= 1
        found.append(table)
        left -= 1
    return found, pool


def _suits(parties: Counter[str], table: Sequence[Entrant], entrant: Entrant, seats: int, left: int) -> bool:
    sitting = {each.party for each in table}
    if entrant.party in sitting:
        return False
    sitting.add(entrant.party)
    rest = parties.copy()
    rest[entrant.party] -= 1
    wanted = seats - len(table) - 1
    companions = nlargest(wanted, (party for party in rest if party not in sitting), key=rest.__getitem__)
    rest.subtract(companions)
    return len(companions) == wanted and min(rest.values()) >= 0 and _fill(rest, seats, left - 1)


def _fill(parties: Counter[str], seats: int, tables: int) -> bool:
    return sum(min(count, tables) for count in parties.values()) >= seats * tables
