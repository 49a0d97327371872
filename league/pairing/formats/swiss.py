"""Swiss system: a fixed number of rounds, each against somebody with about the same score and nobody twice.

After the FIDE Handbook, C.04 (the Dutch system, C.04.3), without its colours, since a group gives everybody every
seat. The **score** of a table is the share of the others that one is ahead of, ties half: with two seats 1, ½ and 0.
Who sits out scores as for a win; nobody does twice while somebody has not, unless a rematch were the price. A table of
which nothing counts, since somebody did not come or it is void, scores half for each.

Two seats: those with the same score are a score group; its upper half is paired with its lower half in the order of
score and seed. **Nobody meets anybody again while all can be paired otherwise**, and this is exact: from the top,
each gets the best opponent that leaves the rest a perfect matching (`league.pairing.formats.matching`). If rematches
can't be avoided, the pairs who met least meet again.

More seats: tables are filled from the top with those who met least and stand nearest; a rematch is avoided where that
sees it, not always where it could be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.field import Field, Format, Pairing, PastMeetings, SeedOrder
from league.pairing.formats.filling import filled, most_tables
from league.pairing.formats.matching import Matching
from league.pairing.formats.round_robin import not_enough
from league.pairing.formats.seating import seated
from league.pairing.plan import Entrant


@dataclass(frozen=True)
class Swiss(Format):
    """Swiss system over `rounds` rounds."""

    name: ClassVar[str] = "swiss"
    parameters: ClassVar[tuple[str, ...]] = ("rounds",)
    seed_order: ClassVar[SeedOrder] = SeedOrder.RATING

    rounds: int = 5

    def pair(self, field: Field) -> Pairing:
        if field.round > self.rounds:
            return Pairing((), over=f"all {self.rounds} rounds have been played")
        if most_tables(field.entrants, field.seats) == 0:
            raise NothingToPlay(not_enough(field))
        points = scores(field)
        # A stable sort: among equals the better seed is first.
        ranked = sorted(field.entrants, key=lambda each: -points[each.id])
        met = PastMeetings(field.outcomes)
        if field.seats == 2:
            tables, out = _pairs(ranked, points, met, field)
        else:
            tables, out = _tables(ranked, points, met, field)
        return Pairing(seated(tables, field.sides, met, field.seed), out)


def scores(field: Field) -> dict[str, Fraction]:
    """By bot id, the sum of its scores before this round."""
    found: dict[str, Fraction] = {
        each.id: field.sat_out.get(each.id, 0) + Fraction(field.unplayed.get(each.id, 0), 2)
        for each in field.entrants
    }
    for outcome in field.outcomes:
        places = outcome.places()
        for side, place in zip(outcome.sides, places, strict=True):
            behind = sum(other > place for other in places)
            level = sum(other == place for other in places) - 1
            share = (behind + Fraction(level, 2)) / (len(places) - 1)
            for player in side.bots:
                if player.id in found:
                    found[player.id] += share
    return found


def _pairs(
    ranked: Sequence[Entrant], points: dict[str, Fraction], met: PastMeetings, field: Field
) -> tuple[list[list[Entrant]], list[Entrant]]:
    order = range(len(ranked))
    suitable = _graph(ranked, met, None)
    most = Matching(suitable).size
    again = 0
    matching = Matching(_graph(ranked, met, again))
    while matching.size < most:
        again += 1
        matching = Matching(_graph(ranked, met, again))
    # Who sits out: whoever has done so least, of these the lowest.
    out: list[int] = []
    for number in sorted(order, key=lambda number: (field.sat_out.get(ranked[number].id, 0), -number)):
        if len(out) < len(ranked) - 2 * most and matching.without(number):
            out.append(number)
    graph = _graph(ranked, met, again)
    left = [number for number in order if number not in out]
    found = []
    while left:
        one = left[0]
        for other in _opponents(left, ranked, points):
            if other in graph[one] and matching.take(one, other):
                found.append([ranked[one], ranked[other]])
                left = [number for number in left if number not in (one, other)]
                break
    return found, [ranked[number] for number in out]


def _graph(ranked: Sequence[Entrant], met: PastMeetings, again: int | None) -> list[list[int]]:
    """By number, who may be paired with it: no rivals, and nobody that it has met more than `again` times."""
    return [
        [
            number
            for number, other in enumerate(ranked)
            if other.party != one.party and (again is None or met.together(one.id, other.id) <= again)
        ]
        for one in ranked
    ]


def _opponents(left: Sequence[int], ranked: Sequence[Entrant], points: dict[str, Fraction]) -> list[int]:
    """For the first of these the others, the best opponent first: of the nearest score, and there of its own score
    group's lower half, of a lower group the first."""
    score = points[ranked[left[0]].id]
    group = [number for number in left if points[ranked[number].id] == score]
    ideal = group[len(group) // 2] if len(group) > 1 else left[0]

    def key(number: int) -> tuple[Fraction, int, int]:
        gap = score - points[ranked[number].id]
        return gap, abs(number - ideal) if gap == 0 else 0, number

    return sorted(left[1:], key=key)


def _tables(
    ranked: Sequence[Entrant], points: dict[str, Fraction], met: PastMeetings, field: Field
) -> tuple[list[list[Entrant]], list[Entrant]]:
    most = most_tables(ranked, field.seats)
    playing = list(ranked)
    surplus = len(ranked) - most * field.seats
    for entrant in sorted(ranked, key=lambda each: (field.sat_out.get(each.id, 0), -ranked.index(each))):
        rest = [each for each in playing if each != entrant]
        if surplus and most_tables(rest, field.seats) == most:
            playing, surplus = rest, surplus - 1

    def cost(table: Sequence[Entrant], entrant: Entrant) -> tuple[int, Fraction]:
        times = sum(met.together(entrant.id, each.id) for each in table)
        return times, sum((abs(points[each.id] - points[entrant.id]) for each in table), Fraction(0))

    tables, out = filled(playing, field.seats, cost)
    return tables, [*out, *(each for each in ranked if each not in playing)]
