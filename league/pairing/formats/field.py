"""The input and output of pairing formats, and what formats share. Pure.

A **meeting** is a set of entrants in circular order that will play one duplicate group, or one match where a ladder
plays single matches. The group rotates the seats. In team games the circular order determines the partners:
`Game.sides` says which seats form a side, and partners stay together in every rotation.

Formats are deterministic: their chance is `chance(seed, …)`. `seated` chooses the circular order at each table so that
partners and neighbours change.
"""

from __future__ import annotations

import enum
import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from math import factorial
from typing import Any, ClassVar, Final, NamedTuple

from league.pairing.formats.ranking import Criterion, Rank, SeasonResults, SeasonRound, ranked
from league.pairing.plan import Entrant, arranged
from records.ratings.model import Rating
from records.results.group_result import GroupResult

Meeting = tuple[Entrant, ...]
Walkovers = Mapping[frozenset[str], frozenset[str]]
"""Tables of a bracket that were decided without play: by the ids of a table's bots, those that lost."""


class Field(NamedTuple):
    """Everything that a format may use."""

    entrants: Sequence[Entrant]
    """The entrants in the order of the format's `seed_order`."""
    sides: Sequence[int]
    """By seat of the game's table, the number of its side."""
    round: int
    """The number of the requested round, from 1 in each season."""
    seed: str
    outcomes: Sequence[GroupResult] = ()
    """The results of groups of earlier rounds, in the order (ended, id)."""
    rounds: Sequence[SeasonRound] = ()
    """The earlier rounds of the season, for a format that is ranked by meetings."""
    ratings: Mapping[str, Rating] = {}
    """By bot id; unknown bots are missing."""
    last_seated: Mapping[str, int] = {}
    """By bot id, the last round in which it had a table; missing if it never had one."""
    waited: Mapping[str, int] = {}
    """By bot id, in how many consecutive rounds since its last table it was present without a table."""
    gone: frozenset[str] = frozenset()
    """The ids of entrants that have left."""
    refused: Mapping[str, frozenset[str]] = {}
    """By bot id, the entrants with which it does not play; missing if it plays with all."""
    walkovers: Mapping[frozenset[str], frozenset[str]] = {}
    """The walkovers so far. They stand, whatever `gone` and `refused` say of their bots."""
    first: str | None = None
    """The id of the earliest entry of the ladder, whether that bot can play or not."""
    deals: int = 1
    """How many deals a bot plays in a group."""
    seats_had: Mapping[str, Sequence[int]] = {}
    """By bot id, how often it had each seat in matches with decks of their own (`league.pairing.formats.seats`)."""

    @property
    def seats(self) -> int:
        """The number of seats at the game's table."""
        return len(self.sides)


class MeetingReason(NamedTuple):
    """Why the bots of a meeting met: what the format knew of them then. A part that it did not use is `None`."""

    points: Mapping[str, float] | None = None
    """In Swiss, by bot id the points before the round."""
    met: int | None = None
    """In Swiss, how many of its pairs of bots had met before."""
    stage: int | None = None
    """In a knock-out, the stage of the bracket, from 1."""
    seeds: Mapping[str, int] | None = None
    """In a knock-out, by bot id the number among the seeds, from 1."""
    groups: int | None = None
    """In a knock-out, how many groups of this meeting were tied before."""


class Pairing(NamedTuple):
    """The meetings of a round."""

    meetings: Sequence[Meeting]
    out: Sequence[Entrant] = ()
    """Entrants without a meeting in this round."""
    excluded: int = 0
    """How many sets of entrants, or entrants, rivalry excludes."""
    over: str | None = None
    """Why there will be no further meetings, in a sentence; `None` if there may be."""
    winner: Entrant | None = None
    walkovers: Mapping[frozenset[str], frozenset[str]] = {}
    """The walkovers so far, with those that take effect now."""
    reasons: Sequence[MeetingReason] | None = None
    """By meeting; `None` if the format alone is the reason."""


class SeedOrder(enum.Enum):
    """The order in which a format receives its entrants, the best seed first."""

    NAME = enum.auto()
    """By full name, for formats without seeds."""
    ENTRY = enum.auto()
    """By the instant of entry, the earliest first."""
    RATING = enum.auto()
    """By rating, the highest first; bots with equal ratings by the instant of entry."""


class Format(ABC):
    """A pairing format. A subclass states only where it differs from these defaults."""

    name: ClassVar[str]
    """The format's name on the wire and in stored ladders."""
    parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that the format accepts."""
    has_repeats: ClassVar[bool] = False
    """Whether the ladder's `repeats` sets how often each pairing meets in a round."""
    adjustable: ClassVar[frozenset[str]] = frozenset()
    """The parameters that may change after the first round, since they concern only later rounds."""
    uses_results: ClassVar[bool] = True
    """Whether pairings depend on the results of earlier rounds, which the ladder then stores."""
    counts_no_shows: ClassVar[bool] = False
    """Whether a bot that doesn't show up loses its meeting, and the others win it. Elsewhere nothing of it counts."""
    hides_pairings: ClassVar[bool] = True
    """Whether the pairing of a round would identify bots at tables that hide their names."""
    overlaps_rounds: ClassVar[bool] = False
    """Whether a round may start while others are under way. It then seats only bots that are free."""
    has_bracket: ClassVar[bool] = False
    """Whether a season is one bracket, entered by the bots of its first round only."""
    seed_order: ClassVar[SeedOrder] = SeedOrder.ENTRY
    """The order of `Field.entrants`."""
    single_table: ClassVar[bool] = False
    """Whether all entries share one table, so that a ladder accepts no more entries than seats."""
    allows_teams: ClassVar[bool] = True
    """Whether games with partners can be played."""
    allows_once_only: ClassVar[bool] = False
    """Whether decks may be `once_only`, where every bot plays the house instead of other entrants."""
    criteria: ClassVar[tuple[Criterion, ...]] = (Criterion.POINTS_PER_DEAL,)
    """How a season is won: the score, then the tie-breaks in order (`rank` returns their values)."""
    ends: ClassVar[bool] = False
    """Whether a season may be complete before it ends (`is_complete`)."""
    ranks_meetings: ClassVar[bool] = False
    """Whether `pair` and `rank` need the rounds of the season."""

    @abstractmethod
    def pair(self, field: Field) -> Pairing:
        """Return the meetings of the next round. Raise `NothingToPlay` if the entrants can't fill a table."""

    def rank(self, season: SeasonResults) -> list[Rank]:
        """Return the entries of a season with their places, the best first."""
        return ranked(season.entries, {each.bot: (each.points_per_deal,) for each in season.entries})

    def is_complete(self, season: SeasonResults) -> bool:
        """Return whether nothing is left to play in a season without a round under way. Only for a format that
        `ends`."""
        return False

    def plays_every_set(self, seats: int) -> bool:
        """Return whether every set of `seats` entrants meets in each round."""
        return False


class PastMeetings:
    """Counts how often two bots shared a table, were partners, and sat side by side."""

    def __init__(self, outcomes: Iterable[GroupResult] = ()) -> None:
        self._together: Counter[tuple[str, str]] = Counter()
        self._partners: Counter[tuple[str, str]] = Counter()
        self._neighbours: Counter[tuple[str, str]] = Counter()
        self.tables: Counter[str] = Counter()
        """By bot id, its number of tables."""
        for outcome in outcomes:
            if not outcome.played:
                continue
            bots = [player.id for player in outcome.players]
            self._count(bots)
            for side in outcome.sides:
                ids = [player.id for player in side.bots]
                self._partners.update(_pair(a, b) for n, a in enumerate(ids) for b in ids[:n])

    def together(self, one: str, other: str) -> int:
        """Return at how many tables both bots sat."""
        return self._together[_pair(one, other)]

    def strain(self, table: Sequence[Entrant], sides: Sequence[int]) -> tuple[int, int]:
        """Return how often this circular order repeats partners, and how often left neighbours. Lower is better."""
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
    """Return pseudo-random bytes that depend on the seed and `about` alone. Sort by them to shuffle."""
    return hashlib.sha256(" ".join([seed, *map(str, about)]).encode()).digest()


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
