"""Round robin: all entrants meet equally often.

With two seats every pair meets `repeats` times. With more seats there are two modes. `sets`: every set of as many
entrants as there are seats meets `repeats` times, which is perfectly even but needs many tables. `pairs`: as few
tables as a balanced design needs for any two entrants to meet at least `repeats` times
(`league.pairing.formats.designs`).

Bots of one owner never share a table. `sets` excludes such sets. `pairs` then fills tables one by one with the bots
that met least, until all allowed pairs have met often enough. Perfect evenness may be impossible: with two bots of A,
one of B and one of C at three seats, B and C meet twice whenever both of A's bots play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar, Final

from league.errors import NothingToPlay
from league.pairing.formats.designs import balanced
from league.pairing.formats.field import (
    Field,
    Format,
    Meeting,
    Pairing,
    PastMeetings,
    SeedOrder,
    chance,
    filled,
    most_tables,
    seated,
)
from league.pairing.plan import MOST_TABLES, Entrant, arranged, rivals

SETS: Final = "sets"
PAIRS: Final = "pairs"


@dataclass(frozen=True)
class RoundRobin(Format):
    """Round robin: all entrants meet equally often."""

    name: ClassVar[str] = "round_robin"
    parameters: ClassVar[tuple[str, ...]] = ("repeats", "meet")
    has_repeats: ClassVar[bool] = True
    uses_results: ClassVar[bool] = False
    hides_pairings: ClassVar[bool] = False
    seed_order: ClassVar[SeedOrder] = SeedOrder.NAME
    allows_once_only: ClassVar[bool] = True

    repeats: int = 1
    meet: str = SETS

    def pair(self, field: Field) -> Pairing:
        if most_tables(field.entrants, field.seats) == 0:
            raise NothingToPlay(not_enough(field))
        excluded = 0
        if self.plays_every_set(field.seats):
            found, excluded = self._every_set(field)
        else:
            found = self._every_pair(field)
        order = sorted(range(len(found)), key=lambda number: chance(field.seed, number))
        return Pairing([found[number] for number in order], excluded=excluded)

    def _every_set(self, field: Field) -> tuple[list[Meeting], int]:
        """Return the meetings, and how many sets are excluded. A set meets in another circular order each time."""
        if comb(len(field.entrants), field.seats) * self.repeats > MOST_TABLES:
            raise NothingToPlay(
                f"{len(field.entrants)} entries at {field.seats} seats would make more than {MOST_TABLES} tables; "
                "with the tables of `pairs` there are far fewer"
            )
        sets = list(combinations(field.entrants, field.seats))
        allowed = [each for each in sets if not rivals(each)]
        first = (field.round - 1) * self.repeats
        meetings = [arranged(each, 0, first + repeat) for each in allowed for repeat in range(self.repeats)]
        return meetings, len(sets) - len(allowed)

    def _every_pair(self, field: Field) -> list[Meeting]:
        entrants, seats = sorted(field.entrants, key=lambda each: chance(field.seed, each.id)), field.seats
        if rivals(entrants):
            tables = list(_met_least(entrants, seats, self.repeats))
        else:
            numbers = balanced(len(entrants), seats, self.repeats)
            tables = [[entrants[number] for number in each] for each in numbers]
        return seated(tables, field.sides, PastMeetings(field.outcomes), field.seed)

    def plays_every_set(self, seats: int) -> bool:
        return seats == 2 or self.meet == SETS


def _met_least(entrants: Sequence[Entrant], seats: int, least: int) -> Iterator[list[Entrant]]:
    """Yield tables until any two entrants that may meet have met `least` times."""
    met = PastMeetings()
    missing = {(a.id, b.id) for a, b in combinations(entrants, 2) if a.party != b.party}

    def cost(table: Sequence[Entrant], entrant: Entrant) -> tuple[int, int, int]:
        times = [met.together(entrant.id, each.id) for each in table]
        return -sum(max(0, least - each) for each in times), sum(times), met.tables[entrant.id]

    while missing:
        lacks = Counter(bot for pair in missing for bot in pair)
        # The entrant with most missing meetings sits first, then one that it has to meet, so each table makes progress.
        order = sorted(entrants, key=lambda each: (-lacks[each.id], met.tables[each.id]))
        ((table,), _) = filled(order, seats, cost, 1)
        yield table
        met.seat(table, range(seats))
        for a, b in combinations(table, 2):
            if met.together(a.id, b.id) >= least:
                missing -= {(a.id, b.id), (b.id, a.id)}


def not_enough(field: Field) -> str:
    entrants, parties = len(field.entrants), len({each.party for each in field.entrants})
    if entrants < field.seats:
        return f"a table has {field.seats} seats; only {entrants} of the entries can play"
    return (
        f"a table has {field.seats} seats, and the bots of one owner never share it; the {entrants} entries "
        f"that can play are of {parties} owners"
    )
