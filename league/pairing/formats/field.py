"""What a format is asked, and what it answers. Pure, as all of `league.pairing.formats`.

A **meeting** is a set of entrants, in circular order, that will play one duplicate group (or one match, where a ladder
plays those). Who sits in which seat when is the group's business: it rotates them. With teams the circular order says
who are partners: those of a side sit as `Game.sides` has it, and stay together in every rotation.

Everybody who asks a format the same gets the same answer: chance is `chance(seed, …)`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from league.pairing.plan import Entrant
from league.ratings.model import Rating
from league.results.group_result import GroupResult

Meeting = tuple[Entrant, ...]


class Field(NamedTuple):
    """All that a format may look at."""

    entrants: Sequence[Entrant]
    """The best seed first: the order in which they entered, unless somebody ordered them otherwise."""
    sides: Sequence[int]
    """By seat of the game's table, the number of its side."""
    round: int
    """The number of the round that is asked for, from 1 in each season."""
    seed: str
    outcomes: Sequence[GroupResult] = ()
    """What groups of earlier rounds came to, in the order (ended, id)."""
    sat_out: Mapping[str, int] = {}
    """By bot id, in how many earlier rounds it was there and had no table."""
    unplayed: Mapping[str, int] = {}
    """By bot id, in how many earlier rounds it had a table of which nothing counts."""
    ratings: Mapping[str, Rating] = {}
    """By bot id; who is not in it is unknown."""
    last_seated: Mapping[str, int] = {}
    """By bot id, the last round in which it had a table; who is not in it never had one."""
    waited: Mapping[str, int] = {}
    """By bot id, in how many rounds running since its last table it was there and had none."""
    gone: frozenset[str] = frozenset()
    """The ids of entrants who play no more."""
    refused: Mapping[str, frozenset[str]] = {}
    """By bot id, the entrants with whom it does not play; who is not in it plays with all."""
    first: str | None = None
    """The id of who entered first of all that are entered, whether it can play or not."""
    deals: int = 1
    """How many deals a bot plays in a group."""

    @property
    def seats(self) -> int:
        """Seats of the game's table."""
        return len(self.sides)


class Pairing(NamedTuple):
    """The meetings of a round."""

    meetings: Sequence[Meeting]
    out: Sequence[Entrant] = ()
    """Who has none this time."""
    excluded: int = 0
    """How many sets of entrants, or entrants, rivalry leaves out for good."""
    over: str | None = None
    """Why there will be no meetings any more, in a sentence; `None` while there may be."""
    winner: Entrant | None = None


class Format(Protocol):
    """Who plays whom. `pair` raises `league.errors.NothingToPlay` if the entrants can't fill a table."""

    def pair(self, field: Field) -> Pairing:
        """The meetings of the next round."""


class PastMeetings:
    """How often two were at one table, were partners at it, and sat side by side."""

    def __init__(self, outcomes: Iterable[GroupResult] = ()) -> None:
        self._together: Counter[tuple[str, str]] = Counter()
        self._partners: Counter[tuple[str, str]] = Counter()
        self._neighbours: Counter[tuple[str, str]] = Counter()
        self.tables: Counter[str] = Counter()
        """By bot id, at how many tables it was."""
        for outcome in outcomes:
            bots = [player.id for player in outcome.players]
            self._count(bots)
            for side in outcome.sides:
                ids = [player.id for player in side.bots]
                self._partners.update(_pair(a, b) for n, a in enumerate(ids) for b in ids[:n])

    def together(self, one: str, other: str) -> int:
        """At how many tables both were."""
        return self._together[_pair(one, other)]

    def strain(self, table: Sequence[Entrant], sides: Sequence[int]) -> tuple[int, int]:
        """How stale this circular order is: by partners first, then by who has whom on the left."""
        count = len(table)
        partners = sum(
            self._partners[_pair(table[a].id, table[b].id)] ** 2
            for a in range(count)
            for b in range(a)
            if sides[a] == sides[b]
        )
        left = sum(self._neighbours[table[seat - 1].id, table[seat].id] ** 2 for seat in range(count))
        return partners, left

    def seat(self, table: Sequence[Entrant], sides: Sequence[int]) -> None:
        """Count a table in this circular order."""
        self._count([entrant.id for entrant in table])
        for seat, entrant in enumerate(table):
            self._neighbours[table[seat - 1].id, entrant.id] += 1
            for other in range(seat):
                if sides[other] == sides[seat]:
                    self._partners[_pair(entrant.id, table[other].id)] += 1

    def _count(self, bots: Sequence[str]) -> None:
        self.tables.update(bots)
        self._together.update(_pair(a, b) for n, a in enumerate(bots) for b in bots[:n])


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def chance(seed: str, *about: object) -> bytes:
    """A number that nobody chose, the same for everybody: for shuffling, compare them."""
    return hashlib.sha256(" ".join([seed, *map(str, about)]).encode()).digest()
