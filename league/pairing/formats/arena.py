"""Arena: continuous play that seats the bots that are free.

Each round takes the bots that are online and free (`league.rounds.opening`).

**Who plays**: as many bots as fill tables. Priority goes to the bot that missed most consecutive rounds, then to the
one whose last table is longest ago, then to the one with fewest tables. So no bot starves. Without rivals no bot that
stays free sits out twice in a row, and bots that are always free differ by at most one table where possible. With
rivals, the bot that has waited longest plays if any other bot can sit with it.

**Who meets whom**: the bots whose result is most informative. A result between two bots has information p(1-p) about
the difference of their skills, where p is the expected share (Fisher's information in the Bradley-Terry model). It is
highest for equals, and matters more the wider both ratings are. So the value of a meeting is p(1-p)·(σ₁² + σ₂²),
divided by 1 + the number of their meetings. The bot with the widest rating chooses first. (Lichess pairs its arenas
by closeness alone, CGOS within a window of ratings.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from league.errors import NothingToPlay
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
from league.pairing.formats.seats import clash
from league.pairing.plan import Entrant
from records.ratings.model import POINT, Rating


@dataclass(frozen=True)
class Arena(Format):
    """Arena: continuous pairing of the bots that are free."""

    name: ClassVar[str] = "arena"
    overlaps_rounds: ClassVar[bool] = True

    def pair(self, field: Field) -> Pairing:
        most = most_tables(field.entrants, field.seats)
        if most == 0 and len(field.entrants) < field.seats:
            raise NothingToPlay(
                f"a table has {field.seats} seats; only {len(field.entrants)} of the entries that can play are online "
                "and at no table now"
            )
        if most == 0:
            raise NothingToPlay(not_enough(field))
        met = PastMeetings(field.outcomes)

        def turn(entrant: Entrant) -> tuple[int, int, int, bytes]:
            return (
                -field.waited.get(entrant.id, 0),
                field.last_seated.get(entrant.id, 0),
                met.tables[entrant.id],
                chance(field.seed, entrant.id),
            )

        playing, out = _first(sorted(field.entrants, key=turn), field.seats, most)
        unknown = Rating()

        def cost(table: Sequence[Entrant], entrant: Entrant) -> tuple[bool, float]:
            return clash((*table, entrant), field.seats_had, field.seats), -sum(
                worth(field.ratings.get(entrant.id, unknown), field.ratings.get(each.id, unknown))
                / (1 + met.together(entrant.id, each.id))
                for each in table
            )

        least_known = sorted(playing, key=lambda each: -field.ratings.get(each.id, unknown).sigma)
        tables, _ = filled(least_known, field.seats, cost, most)
        return Pairing(seated(tables, field.sides, met, field.seed), out)


def worth(one: Rating, other: Rating) -> float:
    """Return how informative a result between the two bots would be."""
    uncertainty = one.sigma**2 + other.sigma**2
    share = 1 / (1 + math.exp((other.mu - one.mu) / math.sqrt(POINT**-2 + uncertainty)))
    return share * (1 - share) * uncertainty


def _first(order: Sequence[Entrant], seats: int, most: int) -> tuple[list[Entrant], list[Entrant]]:
    """Return the first entrants that together fill `most` tables, and the others."""
    playing: list[Entrant] = []
    party_sizes: dict[str, int] = {}
    out: list[Entrant] = []
    for entrant in order:
        # A party can't have more seats than there are tables.
        if len(playing) < most * seats and party_sizes.get(entrant.party, 0) < most:
            playing.append(entrant)
            party_sizes[entrant.party] = party_sizes.get(entrant.party, 0) + 1
        else:
            out.append(entrant)
    return playing, out
