"""Swiss system: a fixed number of rounds. Each pairs bots with similar scores, and no pair meets twice if avoidable.

After the FIDE Handbook, C.04 (the Dutch system, C.04.3), without colours, since a group gives every bot every seat.
`league.pairing.formats.swiss_score` states the score. No bot gets a second bye before all had one, unless that would
force a rematch.

**Two seats**: bots with equal scores form a score group. Its upper half is paired with its lower half, in the order
of score and seed. **No pair meets again while a pairing without rematches exists**. This is exact: from the top, each
bot gets the best opponent that leaves the rest a perfect matching (`league.pairing.formats.matching`). If rematches
are unavoidable, the pairs that met least meet again. Among the pairings that remain, none with decks of its own lets
two bots meet that both need the same seat (`league.pairing.formats.seats`), if it can be avoided.

**More seats**: tables are filled from the top with the bots that met least and have the closest scores. This greedy
choice can miss a pairing without rematches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

from league.errors import NothingToPlay
from league.pairing.formats.field import (
    Field,
    Format,
    Meeting,
    MeetingReason,
    Pairing,
    PastMeetings,
    SeedOrder,
    filled,
    most_tables,
    seated,
)
from league.pairing.formats.matching import Matching
from league.pairing.formats.ranking import Criterion, Rank, SeasonResults, ranked
from league.pairing.formats.round_robin import not_enough
from league.pairing.formats.seats import clash
from league.pairing.formats.swiss_score import points_of, round_lines, swiss_values
from league.pairing.plan import Entrant


@dataclass(frozen=True)
class Swiss(Format):
    """Swiss system over `rounds` rounds."""

    name: ClassVar[str] = "swiss"
    parameters: ClassVar[tuple[str, ...]] = ("rounds",)
    adjustable: ClassVar[frozenset[str]] = frozenset({"rounds"})
    seed_order: ClassVar[SeedOrder] = SeedOrder.RATING
    criteria: ClassVar[tuple[Criterion, ...]] = (
        Criterion.SWISS_POINTS,
        Criterion.BUCHHOLZ,
        Criterion.HEAD_TO_HEAD,
        Criterion.POINTS_PER_DEAL,
    )
    ends: ClassVar[bool] = True
    ranks_meetings: ClassVar[bool] = True
    counts_no_shows: ClassVar[bool] = True

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
        meetings = seated(tables, field.sides, met, field.seed)
        return Pairing(meetings, out, reasons=_reasons(meetings, points, PastMeetings(field.outcomes)))

    def rank(self, season: SeasonResults) -> list[Rank]:
        """Return the entries by points, Buchholz, head to head and points per deal."""
        lines = round_lines(season.rounds, [each.bot for each in season.entries])
        values = swiss_values(season.entries, season.rounds, lines)
        return ranked(season.entries, values, lines=lines)

    def is_complete(self, season: SeasonResults) -> bool:
        """Return whether all rounds have been played."""
        return len(season.rounds) >= self.rounds


def scores(field: Field) -> dict[str, Fraction]:
    """Return by bot id its points before this round."""
    lines = round_lines(field.rounds)
    return {each.id: points_of(lines.get(each.id, ())) for each in field.entrants}


def _reasons(
    meetings: Sequence[Meeting], points: Mapping[str, Fraction], met: PastMeetings
) -> list[MeetingReason]:
    return [
        MeetingReason(
            {each.id: float(points[each.id]) for each in meeting},
            sum(met.together(one.id, other.id) > 0 for one, other in combinations(meeting, 2)),
        )
        for meeting in meetings
    ]


def _byes(field: Field) -> Counter[str]:
    return Counter(bot for round_ in field.rounds for bot in round_.byes)


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
    byes = _byes(field)
    for number in sorted(order, key=lambda number: (byes[ranked[number].id], -number)):
        if len(out) < len(ranked) - 2 * most and matching.without(number):
            out.append(number)
    left = [number for number in order if number not in out]
    graph = _graph(ranked, met, again)
    even = _even(graph, ranked, out, field)
    if Matching(even).size == most:
        graph, matching = even, Matching(even)
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


def _even(
    graph: Sequence[Sequence[int]], ranked: Sequence[Entrant], out: Sequence[int], field: Field
) -> list[list[int]]:
    """Return the opponents that don't need the same seat, without the bots that sit out."""
    return [
        [
            other
            for other in others
            if not {number, other} & set(out)
            and not clash((ranked[number], ranked[other]), field.seats_had, field.seats)
        ]
        for number, others in enumerate(graph)
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
    byes = _byes(field)
    for entrant in sorted(ranked, key=lambda each: (byes[each.id], -ranked.index(each))):
        rest = [each for each in playing if each != entrant]
        if surplus and most_tables(rest, field.seats) == most:
            playing, surplus = rest, surplus - 1

    def cost(table: Sequence[Entrant], entrant: Entrant) -> tuple[bool, int, Fraction]:
        times = sum(met.together(entrant.id, each.id) for each in table)
        gap = sum((abs(points[each.id] - points[entrant.id]) for each in table), Fraction(0))
        return clash((*table, entrant), field.seats_had, field.seats), times, gap

    tables, out = filled(playing, field.seats, cost)
    return tables, [*out, *(each for each in ranked if each not in playing)]
