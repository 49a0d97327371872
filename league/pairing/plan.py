"""Who sits with whom in a round: pure, and the same for everybody who reckons it again.

A round is a list of *meetings*, each a set of entrants in an order, and each is played at one or more tables:

    independent  one table, a deck of its own
    rotated      a duplicate group: one deck, as many tables as seats, the entrants one seat further at each
    once_only    a duplicate group: one deck, a table for each entrant, all in the same seat against the same house bots

Round robin for any number of seats: every set of as many entrants as there are seats meets `repeats` times. Where
they sit goes round with the repeats and the rounds: first every rotation, so that everybody sits in each
seat alike, then every circular order, so that the neighbours change too. Sets with two bots of one owner are left
out (the house is nobody's rival). The order of the tables is shuffled by `seed`, so that nobody's matches all
come first.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from league.pairing.seatings import arranged, once_only, rotated

_APART: Final = 7
"""How many groups further the next table of a group comes."""
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
    entropy: str | None = None
    """What it puts into the shuffles of its matches."""

    @property
    def party(self) -> str:
        """No two of a party share a table: the bots of an owner. House bots are nobody's rivals."""
        return self.id if self.house else self.owner


class DeckMode(enum.StrEnum):
    """Which tables of a round have the same decks. See the module."""

    INDEPENDENT = "independent"
    ROTATED = "rotated"
    ONCE_ONLY = "once_only"


class PlannedTable(NamedTuple):
    """A table of a round. In a duplicate group (numbered in the round from 0) it has a slot."""

    entrants: tuple[Entrant, ...]
    group: int | None = None
    slot: int = 0


class GroupPlan(NamedTuple):
    """A duplicate group of a round: its bots, and by table and seat the number of the bot that sits there."""

    bots: tuple[Entrant, ...]
    seatings: tuple[tuple[int, ...], ...]
    tables: tuple[int, ...]
    """By slot, the number of the table in the round."""


class RoundPlan(NamedTuple):
    """The tables of a round, by number from 0, its groups, and how many sets of entrants were left out for their
    owners."""

    tables: list[PlannedTable]
    excluded: int
    groups: Sequence[GroupPlan] = ()


def size(entrants: int, seats: int, repeats: int, decks: DeckMode = DeckMode.INDEPENDENT) -> int:
    """The number of tables if nobody is left out."""
    if decks is DeckMode.ONCE_ONLY:
        return entrants * seats * repeats
    return comb(entrants, seats) * repeats * (seats if decks is DeckMode.ROTATED else 1)


def plan(
    entrants: Sequence[Entrant],
    seats: int,
    repeats: int,
    round_number: int,
    seed: str,
    decks: DeckMode = DeckMode.INDEPENDENT,
    paired: Sequence[tuple[Entrant, ...]] | None = None,
) -> RoundPlan:
    """The tables of a round: of the meetings of another format than this module's round robin, if they are given."""
    if decks is DeckMode.ONCE_ONLY:
        return RoundPlan(*_once_only(entrants, seats, repeats, seed))
    if paired is None:
        meetings, excluded = round_robin(entrants, seats, repeats, round_number, seed)
    else:
        # Nobody has the first seat in every round; in a group everybody sits everywhere anyway.
        meetings = [arranged(meeting, round_number + number, 0) for number, meeting in enumerate(paired)]
        excluded = 0
    if decks is DeckMode.ROTATED:
        tables, groups = _rotated(meetings, seats)
        return RoundPlan(tables, excluded, groups)
    return RoundPlan([PlannedTable(meeting) for meeting in meetings], excluded)


def round_robin(
    entrants: Sequence[Entrant], seats: int, repeats: int, round_number: int, seed: str
) -> tuple[list[tuple[Entrant, ...]], int]:
    """The meetings of a round, and how many sets of entrants were left out for their owners."""
    meetings: list[tuple[bytes, tuple[Entrant, ...]]] = []
    excluded = 0
    for places in combinations(range(len(entrants)), seats):
        together = [entrants[place] for place in places]
        if rivals(together):
            excluded += 1
            continue
        # The offset makes up for the order of the entrants, who would else sit alike in a round of one repeat.
        offset = sum(places)
        for repeat in range(repeats):
            meeting = (round_number - 1) * repeats + repeat
            key = hashlib.sha256(f"{seed} {' '.join(map(str, places))} {repeat}".encode()).digest()
            meetings.append((key, arranged(together, offset + meeting, offset + meeting // seats)))
    meetings.sort(key=lambda meeting: meeting[0])
    return [meeting for _, meeting in meetings], excluded


def _rotated(
    meetings: Sequence[tuple[Entrant, ...]], seats: int
) -> tuple[list[PlannedTable], list[GroupPlan]]:
    """A group for each meeting. Its tables lie apart, others' tables between them."""
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
) -> tuple[list[PlannedTable], int, list[GroupPlan]]:
    """For each deck, a table for every entrant, in the seat whose turn it is, against house bots in turn."""
    house = [entrant for entrant in entrants if entrant.house]
    if not house or len(entrants) < 2:
        return [], 0, []
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
    return tables, 0, groups


def _shuffled(entrants: Sequence[Entrant], seed: str) -> list[Entrant]:
    return sorted(entrants, key=lambda entrant: hashlib.sha256(f"{seed} {entrant.id}".encode()).digest())


def rivals(entrants: Sequence[Entrant]) -> bool:
    """Whether two of them must not share a table."""
    return len({entrant.party for entrant in entrants}) != len(entrants)
