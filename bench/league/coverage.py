"""How often 95 % intervals contain the truth: ratings, differences of ratings, and points per deal.

Leagues of bots with known skills are simulated, rated as the service rates them, and compared with these skills. The
simulation shares no code with the fit: each side draws its strength plus noise of E. J. Gumbel's distribution, and the
draws are its places. A pool without the anchor is compared relative to its mean. The same seed gives the same table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from records.ratings.fit import Results
from records.ratings.model import MU, Z
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from records.results.group_statistics import GroupStatistics, per_deal

LEAGUES: Final = 200
LEAST: Final = 0.93
MOST: Final = 0.97
BOTS: Final = 10
SPREAD: Final = 300.0
"""The standard deviation of skills."""
STEP: Final = 100.0
"""That of the change with a new version."""
SCALE: Final = 400.0 / math.log(10.0)
ANCHOR: Final = "house/greedy"


class League(NamedTuple):
    """A kind of simulated league."""

    title: str
    seats: int = 2
    anchored: bool = True
    partners: int = 1
    ties: float = 0.0
    """The share of ties between equal sides."""
    seasons: int = 1
    """After each season, half of the bots get a new version."""
    beginner: bool = False
    """Whether one bot is some 900 points weaker than the others."""
    groups: tuple[int, ...] = (60, 150, 300, 600)


LEAGUE_KINDS: Final = (
    League("closed, 2 seats", anchored=False),
    League("closed, 6 seats", 6, anchored=False),
    League("anchor, 2 seats"),
    League("anchor, 3 seats", 3),
    League("anchor, 4 seats", 4),
    League("anchor, 5 seats", 5),
    League("anchor, 6 seats", 6),
    League("anchor, 2 seats, ties", ties=0.45),
    League("anchor, 2 seats, a beginner", beginner=True),
    League("anchor, 2 seats, few groups", groups=(15, 30)),
    # A group tells less about each bot of a team.
    League("teams of 2, 4 seats", 4, partners=2, groups=(120, 300, 600, 1200)),
    League("teams of 3, 6 seats", 6, partners=3, groups=(120, 300, 600, 1200)),
    League("new versions, 2 seats", seasons=4),
    League("new versions, 4 seats", 4, seasons=4),
    League("new versions, closed, 3 seats", 3, anchored=False, seasons=4),
)


class Coverage:
    """Counts intervals and those that contain the truth, by kind."""

    def __init__(self) -> None:
        self.inside, self.all = Counter[str](), Counter[str]()

    def add(self, kind: str, *, inside: bool) -> None:
        self.inside[kind] += inside
        self.all[kind] += 1

    def share(self, kind: str) -> float:
        """Return the share of intervals that contain the truth."""
        return self.inside[kind] / self.all[kind]


def simulated(kind: League, rng: Random) -> tuple[dict[str, float], list[GroupResult]]:
    """Return the skills of the last versions, by name, and the groups of a league."""
    skills = {f"o{number}/bot": rng.gauss(MU, SPREAD) for number in range(BOTS)}
    if kind.beginner:
        skills["o0/bot"] = rng.gauss(MU - 900.0, 100.0)
    if kind.anchored:
        skills[ANCHOR] = MU
    versions = dict.fromkeys(skills, 1)
    groups = []
    many = rng.choice(kind.groups)
    for number in range(many):
        if number % math.ceil(many / kind.seasons) == 0 and number:
            for bot in sorted(skills.keys() - {ANCHOR}):
                if rng.random() < 0.5:
                    versions[bot] += 1
                    skills[bot] += rng.gauss(0.0, STEP)
        table = rng.sample(sorted(skills), kind.seats)
        teams = [table[first : first + kind.partners] for first in range(0, kind.seats, kind.partners)]
        strengths = [sum(skills[bot] for bot in team) / len(team) / SCALE for team in teams]
        sides = [
            SideResult(
                tuple(ResultPlayer(bot, bot, str(versions[bot])) for bot in sorted(team)), points, False
            )
            for team, points in zip(teams, _points(strengths, kind.ties, rng), strict=True)
        ]
        groups.append(GroupResult("durak/2", f"g{number:05}", number, tuple(sorted(sides))))
    return skills, groups


def _points(strengths: Sequence[float], ties: float, rng: Random) -> list[int]:
    if ties:
        share = 1.0 / (1.0 + math.exp(strengths[1] - strengths[0]))
        tied, drawn = 4.0 * ties * share * (1.0 - share), rng.random()
        first = 1 if drawn < share - tied / 2.0 else 0 if drawn < share + tied / 2.0 else -1
        return [first, -first]
    draws = [strength - math.log(-math.log(rng.random())) for strength in strengths]
    return [sorted(draws).index(draw) for draw in draws]


def league_coverage(kind: League, leagues: int, seed: int = 1) -> Coverage:
    """Return how often the intervals of these leagues contain the truth."""
    rng, found = Random(f"{seed} {kind.title}"), Coverage()
    for _ in range(leagues):
        truth, groups = simulated(kind, rng)
        _compare(truth, groups, found, anchored=kind.anchored)
    return found


def _compare(
    truth: dict[str, float], groups: Sequence[GroupResult], found: Coverage, *, anchored: bool
) -> None:
    fitted = Results(groups).fitted()
    # After few groups, some bots may not be comparable with the anchor.
    bots = sorted(
        bot for bot, rating in fitted.ratings.items() if bot != ANCHOR and anchored == (rating.pool is None)
    )
    mean = MU if anchored else sum(truth[bot] for bot in bots) / len(bots)
    for number, bot in enumerate(bots):
        rating, skill = fitted.ratings[bot], truth[bot] - mean + MU
        found.add("rating", inside=rating.low <= skill <= rating.high)
        for other in bots[:number]:
            deviation = fitted.deviation(bot, other)
            assert deviation is not None
            error = rating.mu - fitted.ratings[other].mu - truth[bot] + truth[other]
            found.add("difference", inside=abs(error) <= Z * deviation)


POINT_LAWS: Final[Mapping[str, tuple[Callable[[Random, float], int], float]]] = {
    "wide, as in King": (lambda rng, luck: round(10 * (luck * 3 + rng.gauss(0, 4))), 0.0),
    "even, as in Durak": (lambda rng, luck: -int(rng.random() < 0.5 + 0.15 * math.copysign(1, luck)), -0.5),
    "one loss in ten": (lambda rng, luck: -int(rng.random() < 0.1), -0.1),
    "one loss in fifty": (lambda rng, luck: -int(rng.random() < 0.02), -0.02),
}
"""By name: the points of a deal, given the luck of its group, and their mean."""
POINT_GROUPS: Final = (6, 12, 30, 100, 1000)


def point_coverage(law: str, groups: int, bots: int, seed: int = 1) -> Coverage:
    """Return how often intervals of points per deal contain the truth, and how many there are."""
    rng, found = Random(f"{seed} {law} {groups}"), Coverage()
    draw, truth = POINT_LAWS[law]
    for _ in range(bots):
        played = []
        for _ in range(groups):
            deals, luck = rng.choice((2, 2, 2, 4)), rng.gauss(0, 1)
            played.append((deals, sum(draw(rng, luck) for _ in range(deals))))
        estimate = per_deal(GroupStatistics.of(played))
        assert estimate is not None
        found.add("shown", inside=estimate.low is not None)
        if estimate.low is not None and estimate.high is not None:
            found.add("points", inside=estimate.low <= truth <= estimate.high)
    return found


def report() -> list[str]:
    """Return the tables of docs/intervals.md. A share outside 93 to 97 % is marked."""
    lines = ["| league | rating | difference of two bots |", "| --- | --- | --- |"]
    for kind in LEAGUE_KINDS:
        found = league_coverage(kind, LEAGUES)
        cells = (_marked(found.share("rating")), _marked(found.share("difference")))
        lines.append(f"| {kind.title} | {' | '.join(cells)} |")
    lines += ["", "| points | " + " | ".join(f"{groups} groups" for groups in POINT_GROUPS) + " |"]
    lines.append("| --- |" + " --- |" * len(POINT_GROUPS))
    for law in POINT_LAWS:
        shares = (point_coverage(law, groups, 1000).share("points") for groups in POINT_GROUPS)
        lines.append(f"| {law} | {' | '.join(map(_marked, shares))} |")
    return lines


def _marked(share: float) -> str:
    rounded = round(share, 3)
    return f"{100 * rounded:.1f} %" + ("" if LEAST <= rounded <= MOST else " (!)")


if __name__ == "__main__":
    print("\n".join(report()))
