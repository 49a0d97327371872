"""Arena: continuous play, again and again whoever is there is seated.

Each round takes those who are online and free (`league.rounds.arena`). **Who plays**: as many as fill tables; whoever
was left out of most rounds running comes first, then whoever had a table longest ago, then whoever has played least. So
nobody starves: without rivals nobody who stays free sits out twice running, and where all are free each time the
numbers of tables of any two who stay throughout differ by one at most when they can. With rivals, whoever has waited
longest plays if anybody at all can sit with it.

**Who meets whom** among these: those whose meeting tells most. A result between two tells p(1-p) about the difference
of their skills (Fisher's information in the model of Bradley and Terry, p the expected share), which is most for
equals, and there is the more to learn the wider both ratings are: p(1-p)·(σ₁² + σ₂²), divided by 1 + the number of
their meetings. The least known choose first. (Lichess pairs its arenas by closeness alone, CGOS within a window of
ratings.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.field import Field, Format, Pairing, PastMeetings, chance
from league.pairing.formats.filling import filled, most_tables
from league.pairing.formats.round_robin import not_enough
from league.pairing.formats.seating import seated
from league.pairing.plan import Entrant
from league.ratings.model import BETA, Rating


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

        def cost(table: Sequence[Entrant], entrant: Entrant) -> float:
            return -sum(
                worth(field.ratings.get(entrant.id, unknown), field.ratings.get(each.id, unknown))
                / (1 + met.together(entrant.id, each.id))
                for each in table
            )

        least_known = sorted(playing, key=lambda each: -field.ratings.get(each.id, unknown).sigma)
        tables, _ = filled(least_known, field.seats, cost, most)
        return Pairing(seated(tables, field.sides, met, field.seed), out)


def worth(one: Rating, other: Rating) -> float:
    """How much a result between two would tell."""
    uncertainty = one.sigma**2 + other.sigma**2
    share = 1 / (1 + math.exp((other.mu - one.mu) / math.sqrt(2 * BETA**2 + uncertainty)))
    return share * (1 - share) * uncertainty


def _first(order: Sequence[Entrant], seats: int, most: int) -> tuple[list[Entrant], list[Entrant]]:
    """Of these the first that fill so many tables together, and the others."""
    playing: list[Entrant] = []
    of_party: dict[str, int] = {}
    out: list[Entrant] = []
    for entrant in order:
        # A party can't have more seats than there are tables.
        if len(playing) < most * seats and of_party.get(entrant.party, 0) < most:
            playing.append(entrant)
            of_party[entrant.party] = of_party.get(entrant.party, 0) + 1
        else:
            out.append(entrant)
    return playing, out
