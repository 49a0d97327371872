"""Swiss system: a fixed number of rounds. Each pairs bots with similar scores, and no pair meets twice if avoidable.

After the FIDE Handbook, C.04 (the Dutch system, C.04.3), without colours, since a group gives every bot every seat.
The **score** of a table is the share of the other bots that one is ahead of, ties half: with two seats 1, ½ or 0. A
bye scores like a win. No bot gets a second bye before all had one, unless that would force a rematch. A table of
which nothing counts, because a bot did not show up or it is void, scores half for each bot.

**Two seats**: bots with equal scores form a score group. Its upper half is paired with its lower half, in the order
of score and seed. **No pair meets again while a pairing without rematches exists**. This is exact: from the top, each
bot gets the best opponent that leaves the rest a perfect matching (`league.pairing.formats.matching`). If rematches
are unavoidable, the pairs that met least meet again.

**More seats**: tables are filled from the top with the bots that met least and have the closest scores. This greedy
choice can miss a pairing without rematches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.field import (
    Field,
    Format,
    Pairing,
    PastMeetings,
    SeedOrder,
    filled,
    most_tables,
    seated,
)
from league.pairing.formats.matching import Matching
from league.pairing.formats.round_robin import not_enough
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
    """Return by bot id the sum of its scores before this round."""
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
    # A bye goes to the bot with fewest byes, among equals to the lowest.
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
    """Return by index the possible opponents: no rivals, and none that it has met more than `again` times."""
    return [
        [
            number
            for number, other in enumerate(ranked)
            if other.party != one.party and (again is None or met.together(one.id, other.id) <= again)
        ]
        for one in ranked
    ]


def _opponents(left: Sequence[int], ranked: Sequence[Entrant], points: dict[str, Fraction]) -> list[int]:
    """Return the possible opponents of the first bot, the best first. They are ordered by the difference of scores.
    Within its own score group the bot at the start of the lower half comes first, in lower groups the first bot."""
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
