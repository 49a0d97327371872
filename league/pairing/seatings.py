"""Circular orders, and the tables of duplicate groups. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial
from typing import TypeVar

from engine.game import BadTable

T = TypeVar("T")


def arranged(together: Sequence[T], rotation: int, order: int) -> tuple[T, ...]:
    """Return the entrants in circular order number `order`, rotated by `rotation`. Numbers wrap around."""
    count = len(together)
    circle = [together[0], *_permutation(list(together[1:]), order % factorial(count - 1))]
    shift = rotation % count
    return tuple(circle[shift:] + circle[:shift])


def rotated(bots: int, orders: int = 1) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a rotated group: by table and seat the index of a bot. Every bot has every seat once for
    each of the first `orders` circular orders.

    Raise `BadTable` for more orders than there are.
    """
    if not 1 <= orders <= factorial(bots - 1):
        raise BadTable("orders", orders, f"a whole number from 1 to {factorial(bots - 1)} for {bots} seats")
    return tuple(
        arranged(tuple(range(bots)), -slot, order) for order in range(orders) for slot in range(bots)
    )


def once_only(bots: int, seat: int, others: int) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a once-only group: by table and seat the index of a bot. Each bot has `seat` at one
    table. The other seats go to the bots with the indexes from `bots` on, the same at every table.

    Raise `BadTable` for a seat that the table does not have.
    """
    if not 0 <= seat <= others:
        raise BadTable("seat", seat, f"a seat from 0 to {others}")
    tables = []
    for bot in range(bots):
        table = list(range(bots, bots + others))
        table.insert(seat, bot)
        tables.append(tuple(table))
    return tuple(tables)


def _permutation(things: list[T], number: int) -> Iterator[T]:
    """Yield permutation number `number` in lexicographic order."""
    while things:
        at, number = divmod(number, factorial(len(things) - 1))
        yield things.pop(at)
