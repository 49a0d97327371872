"""Gauntlet: one challenger against all others, as chess engines are tested against a fixed field.

The challenger sits at every table. With two seats it meets each other entrant `repeats` times. With more seats the
others sit in the sets of a cyclic design: each meets the challenger equally often, and each other as evenly as the
design allows. If two of the others have one owner, tables are filled with the bots that had fewest tables until each
had `repeats`. Bots of the challenger's owner are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.designs import shifts
from league.pairing.formats.field import (
    Field,
    Format,
    Pairing,
    PastMeetings,
    chance,
    filled,
    most_tables,
    seated,
)
from league.pairing.formats.round_robin import not_enough
from league.pairing.plan import MOST_TABLES, Entrant, rivals


@dataclass(frozen=True)
class Gauntlet(Format):
    """Gauntlet: the challenger meets all other entrants."""

    name: ClassVar[str] = "gauntlet"
    parameters: ClassVar[tuple[str, ...]] = ("challenger", "repeats")
    has_repeats: ClassVar[bool] = True
    uses_results: ClassVar[bool] = False
    hides_pairings: ClassVar[bool] = False

    challenger: str | None = None
    """Its full name; `None` for the earliest entry."""
    repeats: int = 1

    def pair(self, field: Field) -> Pairing:
        challenger = self._challenger(field)
        others = [each for each in field.entrants if each.party != challenger.party]
        others.sort(key=lambda each: chance(field.seed, each.id))
        wanted = field.seats - 1
        if most_tables(others, wanted) == 0:
            raise NothingToPlay(not_enough(field))
        if wanted == 1 or not rivals(others):
            companies = [
                [others[number] for number in each] for each in shifts(len(others), wanted, self.repeats)
            ]
        else:
            companies = self._companies(others, wanted)
        if len(companies) > MOST_TABLES:
            raise NothingToPlay(f"{len(companies)} tables are more than {MOST_TABLES}")
        tables = seated(
            [[challenger, *company] for company in companies],
            field.sides,
            PastMeetings(field.outcomes),
            field.seed,
        )
        return Pairing(tables, excluded=len(field.entrants) - 1 - len(others))

    def _challenger(self, field: Field) -> Entrant:
        if not field.entrants:
            raise NothingToPlay("nobody has entered")
        for entrant in field.entrants:
            if (entrant.id == field.first) if self.challenger is None else (entrant.name == self.challenger):
                return entrant
        who = ", who entered first," if self.challenger is None else f" {self.challenger}"
        raise NothingToPlay(f"the challenger{who} is not among the entries that can play")

    def _companies(self, others: Sequence[Entrant], wanted: int) -> list[list[Entrant]]:
        met = PastMeetings()
        found: list[list[Entrant]] = []

        def cost(table: Sequence[Entrant], entrant: Entrant) -> tuple[int, int]:
            return met.tables[entrant.id], sum(met.together(entrant.id, each.id) for each in table)

        while any(met.tables[each.id] < self.repeats for each in others):
            order = sorted(others, key=lambda each: met.tables[each.id])
            ((company,), _) = filled(order, wanted, cost, 1)
            met.seat(company, range(wanted))
            found.append(company)
        return found
