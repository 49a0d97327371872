"""Greedy table filling without rivals that fills as many tables as possible.

With parties of c₁, c₂, … members at most T tables of k can be filled at once, where T is the largest number with Σ
min(cᵢ, T) ≥ k·T, since each party has at most one seat at each table. A choice is accepted only if the remaining
entrants still fill the remaining tables. That holds if it holds when the largest parties fill up this table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from typing import Any

from league.pairing.plan import Entrant

Cost = Callable[[Sequence[Entrant], Entrant], Any]
"""The cost of seating an entrant at a table with these bots, as any comparable value. The lowest is chosen."""


def most_tables(entrants: Iterable[Entrant], seats: int) -> int:
    """Return how many tables the entrants can fill at once."""
    parties = Counter(entrant.party for entrant in entrants)
    tables = sum(parties.values()) // seats
    while tables and not _fill(parties, seats, tables):
        tables -= 1
    return tables


def filled(
    entrants: Sequence[Entrant], seats: int, cost: Cost, tables: int | None = None
) -> tuple[list[list[Entrant]], list[Entrant]]:
    """Return `tables` tables, by default as many as possible, and the entrants left over.

    Each table starts with the first remaining entrant that fits, then adds the entrant with the lowest cost, among
    equals the first.
    """
    pool = list(entrants)
    parties = Counter(entrant.party for entrant in pool)
    left = most_tables(pool, seats) if tables is None else tables
    found: list[list[Entrant]] = []
    while left:
        table: list[Entrant] = []
        while len(table) < seats:
            # The first seat goes to the first entrant in the given order.
            wanted = sorted(pool, key=lambda entrant: cost(table, entrant)) if table else pool
            chosen = next(each for each in wanted if _suits(parties, table, each, seats, left))
            table.append(chosen)
            pool.remove(chosen)
            parties[chosen.party] -= 1
        found.append(table)
        left -= 1
    return found, pool


def _suits(parties: Counter[str], table: Sequence[Entrant], entrant: Entrant, seats: int, left: int) -> bool:
    seated_parties = {each.party for each in table}
    if entrant.party in seated_parties:
        return False
    seated_parties.add(entrant.party)
    rest = parties.copy()
    rest[entrant.party] -= 1
    wanted = seats - len(table) - 1
    companions = nlargest(
        wanted, (party for party in rest if party not in seated_parties), key=rest.__getitem__
    )
    rest.subtract(companions)
    return len(companions) == wanted and min(rest.values()) >= 0 and _fill(rest, seats, left - 1)


def _fill(parties: Counter[str], seats: int, tables: int) -> bool:
    return sum(min(count, tables) for count in parties.values()) >= seats * tables
