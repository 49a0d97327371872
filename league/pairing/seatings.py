"""Who sits where: circular orders, and the tables of a duplicate group. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial
from typing import TypeVar

from engine.game import BadTable

T = TypeVar("T")


def arranged(together: Sequence[T], rotation: int, order: int) -> tuple[T, ...]:
    """These in their circular order of this number, rotated so many times; numbers beyond the last begin again."""
    count = len(together)
    circle = [together[0], *_permutation(list(together[1:]), order % factorial(count - 1))]
    shift = rotation % count
    return tuple(circle[shift:] + circle[:shift])


def rotated(bots: int, orders: int = 1) -> tuple[tuple[int, ...], ...]:
    """By table and seat, the number of the bot: each in every seat once, in so many circular orders.

    Raises `BadTable` for more orders than there are.
    """
    if not 1 <= orders <= factorial(bots - 1):
        raise BadTable("orders", orders, f"a whole number from 1 to {factorial(bots - 1)} for {bots} seats")
    return tuple(
        arranged(tuple(range(bots)), -slot, order) for order in range(orders) for slot in range(bots)
    )


def once_only(bots: int, seat: int, others: int) -> tuple[tuple[int, ...], ...]:
    """By table and seat, the number of the bot: table by table one bot in this seat, and on the other seats those
    that come after all bots, the same at every table.

    Raises `BadTable` for a seat that the table does not have.
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
    """The permutation of this number, in lexicographic order."""
    while things:
        at, number = divmod(number, factorial(len(things) - 1))
        yield things.pop(at)
