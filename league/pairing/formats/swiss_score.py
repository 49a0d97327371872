"""The score of a Swiss tournament and its tie-breaks. Pure.

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

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import Final

from league.pairing.formats.ranking import (
    RoundLine,
    RoundLineKind,
    SeasonEntry,
    SeasonMeeting,
    SeasonRound,
    Values,
)
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
