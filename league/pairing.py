"""Who sits with whom in a round: pure, and the same for everybody who reckons it again.

Round robin for any number of seats: every set of as many entrants as there are seats meets `repeats` times. Where
they sit goes round with the repeats and the rounds: first every rotation, so that everybody sits in each
seat alike, then every circular order, so that the neighbours change too. Sets with two bots of one owner are left
out (the house is nobody's rival). The order of the tables is shuffled by `seed`, so that nobody's matches all
come first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, factorial
from typing import Final, NamedTuple, TypeVar

T = TypeVar("T")

MOST_TABLES: Final = 100_000
"""The most matches of one round."""


class Entrant(NamedTuple):
    """A bot in a round, as it stood when the round was opened."""

    id: str
    name: str
    """`owner/bot`."""
    owner: str
    version: str
    house: bool = False


class Plan(NamedTuple):
    """The tables of a round, by number from 0, and how many sets of entrants were left out for their owners."""

    tables: list[tuple[Entrant, ...]]
    left_out: int


def size(entrants: int, seats: int, repeats: int) -> int:
    """The number of tables if nobody is left out."""
    return comb(entrants, seats) * repeats


def plan(entrants: Sequence[Entrant], seats: int, repeats: int, round_number: int, seed: str) -> Plan:
    """The tables of a round."""
    tables: list[tuple[bytes, tuple[Entrant, ...]]] = []
    left_out = 0
    for places in combinations(range(len(entrants)), seats):
        together = [entrants[place] for place in places]
        if _rivals(together):
            left_out += 1
            continue
        # The offset makes up for the order of the entrants, who would else sit alike in a round of one repeat.
        offset = sum(places)
        for repeat in range(repeats):
            meeting = (round_number - 1) * repeats + repeat
            key = hashlib.sha256(f"{seed} {' '.join(map(str, places))} {repeat}".encode()).digest()
            tables.append((key, arranged(together, offset + meeting, offset + meeting // seats)))
    tables.sort(key=lambda table: table[0])
    return Plan([table for _, table in tables], left_out)


def arranged(together: Sequence[T], rotation: int, order: int) -> tuple[T, ...]:
    """These in their circular order of this number, rotated so many times; numbers beyond the last begin again."""
    count = len(together)
    circle = [together[0], *_permutation(list(together[1:]), order % factorial(count - 1))]
    shift = rotation % count
    return tuple(circle[shift:] + circle[:shift])


def _rivals(together: Sequence[Entrant]) -> bool:
    owners = [entrant.owner for entrant in together if not entrant.house]
    return len(set(owners)) != len(owners)


def _permutation(things: list[T], number: int) -> Iterator[T]:
    """The permutation of this number, in lexicographic order."""
    while things:
        at, number = divmod(number, factorial(len(things) - 1))
        yield things.pop(at)
