"""The tables of a round. Pure and deterministic: the same arguments give the same tables.

A round is a list of *meetings*. A meeting is a set of entrants in a circular order. The deck mode says at how many
tables it is played:

    independent  one table with a deck of its own
    rotated      a duplicate group: one deck, as many tables as seats, the entrants one seat further at each
    once_only    a duplicate group: one deck, a table for each entrant, all in the same seat against the same house bots

With independent decks a meeting is given in the order of its seats (`league.pairing.formats.seats`). Of once-only
groups the entrants alone determine the tables: `repeats` decks for each seat. `seed` shuffles their tables.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterator, Sequence
from math import comb, factorial
from typing import Final, NamedTuple, TypeVar

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


_APART: Final = 7
"""The distance in groups between two tables of a group."""
MOST_TABLES: Final = 100_000
"""The maximum number of matches in a round."""


class Entrant(NamedTuple):
    """A bot in a round, as it was when the round was opened."""

    id: str
    name: str
    """`owner/bot`."""
    owner: str
    version: str
    house: bool = False
    entropy: str | None = None
    """The entropy that the bot contributes to the shuffles of its matches."""

    @property
    def party(self) -> str:
        """The owner, or the bot itself for house bots. Two entrants of a party never share a table."""
        return self.id if self.house else self.owner


class DeckMode(enum.StrEnum):
    """Which tables of a round share a deck."""

    INDEPENDENT = "independent"
    ROTATED = "rotated"
    ONCE_ONLY = "once_only"


class PlannedTable(NamedTuple):
    """A planned match. In a duplicate group, numbered from 0 in its round, it has a slot."""

    entrants: tuple[Entrant, ...]
    group: int | None = None
    slot: int = 0


class GroupPlan(NamedTuple):
    """A planned duplicate group. `seatings` holds, by slot and seat, an index into `bots`."""

    bots: tuple[Entrant, ...]
    seatings: tuple[tuple[int, ...], ...]
    tables: tuple[int, ...]
    """By slot, the number of the table in the round."""


class RoundPlan(NamedTuple):
    """The tables of a round by number from 0, and its groups."""

    tables: list[PlannedTable]
    groups: Sequence[GroupPlan] = ()


def size(entrants: int, seats: int, repeats: int, decks: DeckMode = DeckMode.INDEPENDENT) -> int:
    """Return the number of tables of a round robin without rivals."""
    if decks is DeckMode.ONCE_ONLY:
        return entrants * seats * repeats
    return comb(entrants, seats) * repeats * (seats if decks is DeckMode.ROTATED else 1)


def plan(
    entrants: Sequence[Entrant],
    seats: int,
    repeats: int,
    seed: str,
    decks: DeckMode,
    meetings: Sequence[tuple[Entrant, ...]],
) -> RoundPlan:
    """Return the tables of a round for its meetings, by seat or in circular order. With once-only decks there are
    none."""
    if decks is DeckMode.ONCE_ONLY:
        return RoundPlan(*_once_only(entrants, seats, repeats, seed))
    if decks is DeckMode.ROTATED:
        return RoundPlan(*_rotated(meetings, seats))
    return RoundPlan([PlannedTable(meeting) for meeting in meetings])


def _rotated(
    meetings: Sequence[tuple[Entrant, ...]], seats: int
) -> tuple[list[PlannedTable], list[GroupPlan]]:
    """Return a group for each meeting. Tables of other groups lie between the tables of a group."""
    order = sorted(
        (number + slot * _APART, number, slot) for number in range(len(meetings)) for slot in range(seats)
    )
    seatings = rotated(seats)
    tables, numbers = [], {}
    for at, (_, number, slot) in enumerate(order):
        numbers[number, slot] = at
        entrants = tuple(meetings[number][member] for member in seatings[slot])
        tables.append(PlannedTable(entrants, number, slot))
    return tables, [
        GroupPlan(meeting, seatings, tuple(numbers[number, slot] for slot in range(seats)))
        for number, meeting in enumerate(meetings)
    ]


def _once_only(
    entrants: Sequence[Entrant], seats: int, repeats: int, seed: str
) -> tuple[list[PlannedTable], list[GroupPlan]]:
    """Return for each deck a table for every entrant. The seat and the house bots rotate with the decks."""
    house = [entrant for entrant in entrants if entrant.house]
    if not house or len(entrants) < 2:
        return [], []
    tables: list[PlannedTable] = []
    groups: list[GroupPlan] = []
    for number in range(seats * repeats):
        others = [house[(number // seats + place) % len(house)] for place in range(seats - 1)]
        bots = (*_shuffled(entrants, f"{seed} {number}"), *others)
        seatings = once_only(len(entrants), number % seats, seats - 1)
        first = len(tables)
        tables += [
            PlannedTable(tuple(bots[member] for member in seating), number, slot)
            for slot, seating in enumerate(seatings)
        ]
        groups.append(GroupPlan(bots, seatings, tuple(range(first, len(tables)))))
    return tables, groups


def _shuffled(entrants: Sequence[Entrant], seed: str) -> list[Entrant]:
    return sorted(entrants, key=lambda entrant: hashlib.sha256(f"{seed} {entrant.id}".encode()).digest())


def rivals(entrants: Sequence[Entrant]) -> bool:
    return len({entrant.party for entrant in entrants}) != len(entrants)
