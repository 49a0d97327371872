"""Swiss system: a fixed number of rounds. Each pairs bots with similar scores, and no pair meets twice if avoidable.

After the FIDE Handbook, C.04 (the Dutch system, C.04.3), without colours, since a group gives every bot every seat.
No bot gets a second bye before all had one, unless that would force a rematch.

**Two seats**: bots with equal scores form a score group. Its upper half is paired with its lower half, in the order
of score and seed. **No pair meets again while a pairing without rematches exists**. This is exact: from the top, each
bot gets the best opponent that leaves the rest a perfect matching (`league.pairing.formats.matching`). If rematches
are unavoidable, the pairs that met least meet again. Among the pairings that remain, none with decks of its own lets
two bots meet that both need the same seat (`league.pairing.formats.seats`), if it can be avoided.

**More seats**: tables are filled from the top with the bots that met least and have the closest scores. This greedy
choice can miss a pairing without rematches.

**Points** of a meeting are the share of the other bots that one is ahead of, ties half: with two seats 1, ½ or 0. A bye
gives 1. If bots do not show up for a meeting, they get nothing, and the others 1. Any other meeting of which nothing
counts gives each bot ½. A round that a bot missed gives nothing. A bye counts, and a meeting without a result, when its
round is over.

**Buchholz** sums over the rounds the points that the opponents have in the whole tournament, at a table with more
opponents their mean. In a round without play, such as a bye, the bot's own points take their place (as the FIDE
Handbook, C.07, has a bot play against its like). A missed round adds nothing.

**Head to head** compares bots with equal points and Buchholz, if each two of them have met: 1 for every meeting in
which a bot was ahead of another of them, ½ for a tie. Otherwise none of them has a value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import ClassVar, Final

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
from league.pairing.formats.ranking import (
    Criterion,
    Rank,
    RoundLine,
    RoundLineKind,
    SeasonEntry,
    SeasonMeeting,
    SeasonResults,
    SeasonRound,
    Values,
    ranked,
)
from league.pairing.formats.round_robin import not_enough
from league.pairing.formats.seats import clash
from league.pairing.plan import Entrant
from records.results.group_result import GroupResult

HALF: Final = Fraction(1, 2)
Lines = Mapping[str, Sequence[RoundLine]]


def round_lines(rounds: Sequence[SeasonRound], bots: Sequence[str] = ()) -> Lines:
    """Return by bot id what it did in each round, for all bots that had a round and for these."""
    found: dict[str, list[RoundLine]] = {bot: [] for bot in bots}
    for round_ in rounds:
        lines = {
            bot: line for meeting in round_.meetings for bot, line in _of_meeting(round_, meeting).items()
        }
        if round_.over:
            lines |= {bot: RoundLine(round_.number, RoundLineKind.BYE, Fraction(1)) for bot in round_.byes}
        missed = RoundLine(round_.number, RoundLineKind.MISSED)
        lines |= dict.fromkeys(set(bots).difference(round_.entrants), missed)
        for bot, line in lines.items():
            found.setdefault(bot, []).append(line)
    return found


def points_of(lines: Sequence[RoundLine]) -> Fraction:
    return sum((line.points for line in lines), Fraction(0))


def swiss_values(entries: Sequence[SeasonEntry], rounds: Sequence[SeasonRound], lines: Lines) -> Values:
    """Return by bot id points, Buchholz, head to head and points per deal."""
    points = {bot: points_of(own) for bot, own in lines.items()}
    buchholz = {bot: _buchholz(bot, own, points) for bot, own in lines.items()}
    equals: dict[tuple[Fraction, Fraction], list[str]] = defaultdict(list)
    for entry in entries:
        if entry.out is None and _took_part(lines[entry.bot]):
            equals[points[entry.bot], buchholz[entry.bot]].append(entry.bot)
    ahead: dict[str, Fraction] = {}
    met = _met(rounds, {bot: number for number, bots in enumerate(equals.values()) for bot in bots})
    for bots in equals.values():
        if len(bots) > 1 and all((one, other) in met for one, other in combinations(bots, 2)):
            ahead |= {bot: sum((met[bot, each] for each in bots if each != bot), Fraction(0)) for bot in bots}
    return {
        entry.bot: (
            *(
                (float(points[entry.bot]), float(buchholz[entry.bot]))
                if _took_part(lines[entry.bot])
                else (None, None)
            ),
            float(ahead[entry.bot]) if entry.bot in ahead else None,
            entry.points_per_deal,
        )
        for entry in entries
    }


def _took_part(lines: Sequence[RoundLine]) -> bool:
    return any(line.kind is not RoundLineKind.MISSED for line in lines)


def _buchholz(bot: str, lines: Sequence[RoundLine], points: Mapping[str, Fraction]) -> Fraction:
    found = Fraction(0)
    for line in lines:
        if line.kind is RoundLineKind.PLAYED:
            met = [points[each] for each in line.opponents]
            found += met[0] if len(met) == 1 else sum(met, Fraction(0)) / len(met)
        elif line.kind is not RoundLineKind.MISSED:
            found += points[bot]
    return found


def _of_meeting(round_: SeasonRound, meeting: SeasonMeeting) -> dict[str, RoundLine]:
    if meeting.result is None:
        unplayed = RoundLine(round_.number, RoundLineKind.UNPLAYED, HALF)
        return {
            bot: unplayed._replace(opponents=tuple(each for each in meeting.bots if each != bot))
            for bot in meeting.bots
            if round_.over
        }
    return {
        bot: RoundLine(
            round_.number,
            RoundLineKind.PLAYED if meeting.result.played else _unplayed(points),
            points,
            opponents,
            meeting.bots.index(bot) if meeting.single else None,
        )
        for bot, (points, opponents) in shares(meeting.result).items()
    }


def _unplayed(points: Fraction) -> RoundLineKind:
    return RoundLineKind.WALKOVER if points else RoundLineKind.NO_SHOW


def shares(result: GroupResult) -> dict[str, tuple[Fraction, tuple[str, ...]]]:
    """Return by bot id its points of a meeting and its opponents."""
    places = result.places()
    found: dict[str, tuple[Fraction, tuple[str, ...]]] = {}
    for number, (side, place) in enumerate(zip(result.sides, places, strict=True)):
        behind = sum(other > place for other in places)
        level = sum(other == place for other in places) - 1
        share = _share(behind, level, len(places) - 1)
        if not result.played:
            share = Fraction(not result.sides[number].forfeited)
        others = [side for at, side in enumerate(result.sides) if at != number]
        opponents = tuple(player.id for side in others for player in side.bots)
        found |= {player.id: (share, opponents) for player in side.bots}
    return found


@lru_cache(maxsize=256)
def _share(behind: int, level: int, others: int) -> Fraction:
    return Fraction(2 * behind + level, 2 * others)


def _met(rounds: Sequence[SeasonRound], equals: Mapping[str, int]) -> dict[tuple[str, str], Fraction]:
    """Return by two bots of one group of equals the points of the first from their meetings; pairs that did not meet
    are missing."""
    found: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for result in (meeting.result for round_ in rounds for meeting in round_.meetings):
        if result is not None and result.played:
            sides = list(zip(result.sides, result.places(), strict=True))
            for (one, place), (other, behind) in combinations(sides, 2):
                points = HALF if place == behind else Fraction(place < behind)
                for a, b in product(one.bots, other.bots):
                    if a.id in equals and equals[a.id] == equals.get(b.id):
                        found[a.id, b.id] += points
                        found[b.id, a.id] += 1 - points
    return found


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
