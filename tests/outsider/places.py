"""The places of a season, recomputed from its records and from what the API tells everybody.

It follows the text of docs/ladders.md as simply as possible, and imports nothing of the service. A bot is its name.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Json = dict[str, Any]
Key = tuple[float, ...]
LAST = -math.inf


class SeasonRecords:
    """The counted matches of a season, as a stranger sees them."""

    def __init__(
        self, ladder: Json, rounds: Sequence[Json], records: Iterable[Json], bots: Sequence[str]
    ) -> None:
        """`rounds` in rising order, each as `GET /v1/ladders/{ladder}/rounds/{number}` shows it; `bots` in the order of
        their entry."""
        self.ladder, self.rounds, self.bots = ladder, rounds, bots
        self.parameters = ladder["parameters"]
        known = list(records)
        self.matches = [record for record in known if counts(record)]
        self.absent: dict[tuple[int, frozenset[str]], set[str]] = {}
        """By round and bots of a meeting, those that did not show up for it."""
        for record in known:
            bots = [seat["bot"] for seat in record["seats"]]
            if record.get("absent") and not is_void(record):
                self.absent[record["round"], frozenset(bots)] = {bots[seat] for seat in record["absent"]}
        groups: dict[str, list[Json]] = defaultdict(list)
        for match in self.matches:
            groups[match.get("group") or match["id"]].append(match)
        size = ladder["seats"] if ladder["decks"] == "rotated" else 1
        self.groups = sorted(
            (group for group in groups.values() if len(group) == size),
            key=lambda group: (
                max(match["ended"] for match in group),
                group[0].get("group") or group[0]["id"],
            ),
        )

    def points_per_deal(self) -> dict[str, float]:
        """Return points per deal; a match has one deal. A bot without one is missing."""
        points, deals = defaultdict[str, int](int), defaultdict[str, int](int)
        for match in (match for group in self.groups for match in group):
            for seat, score in zip(match["seats"], match["scores"], strict=True):
                points[seat["bot"]] += score
                deals[seat["bot"]] += 1
        return {bot: points[bot] / deals[bot] for bot in deals}


def counts(record: Json) -> bool:
    """Return whether a match counts: it was played, and nobody declared it void later."""
    return not is_void(record) and record["ending"] not in ("aborted", "void")


def is_void(record: Json) -> bool:
    return any(note["kind"] == "void" for note in record.get("annotations", ()))


def result_of(group: Sequence[Json]) -> dict[str, tuple[bool, int]]:
    """Return by bot what compares it in a group: whether it forfeited no match, and its points."""
    points, forfeited = defaultdict[str, int](int), set[str]()
    for match in group:
        for number, seat in enumerate(match["seats"]):
            points[seat["bot"]] += match["scores"][number]
            if number in match["forfeits"]:
                forfeited.add(seat["bot"])
    return {bot: (bot not in forfeited, points[bot]) for bot in points}


def places(keys: Mapping[str, Key]) -> dict[str, int]:
    """Return 1 + the number of better bots."""
    return {bot: 1 + sum(other > key for other in keys.values()) for bot, key in keys.items()}


def by_points_per_deal(season: SeasonRecords) -> dict[str, Key]:
    own = season.points_per_deal()
    return {bot: (own.get(bot, LAST),) for bot in season.bots}


def by_swiss_points(season: SeasonRecords) -> dict[str, Key]:
    """Play the tournament again on paper: a column for each round."""
    papers: dict[str, list[tuple[Fraction, Sequence[str] | None]]] = {bot: [] for bot in season.bots}
    duels: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    played = {(group[0]["round"], frozenset(result_of(group))): result_of(group) for group in season.groups}
    for round_ in season.rounds:
        for bot in round_["sitting_out"]:
            papers[bot].append((Fraction(1), None))
        for meeting in round_["meetings"]:
            bots = meeting["bots"]
            result = played.get((round_["number"], frozenset(bots)))
            absent = season.absent.get((round_["number"], frozenset(bots)))
            for bot in bots:
                others = [other for other in bots if other != bot]
                if result is None:
                    point = Fraction(1, 2) if absent is None else Fraction(bot not in absent)
                    papers[bot].append((point, None))
                    continue
                each = {other: against(result[bot], result[other]) for other in others}
                papers[bot].append((sum(each.values(), Fraction(0)) / len(others), others))
                for other, point in each.items():
                    duels[bot, other] += point
    points = {bot: sum((point for point, _ in paper), Fraction(0)) for bot, paper in papers.items()}
    buchholz = {
        bot: sum(
            (
                points[bot]
                if others is None
                else sum((points[each] for each in others), Fraction(0)) / len(others)
                for _, others in paper
            ),
            Fraction(0),
        )
        for bot, paper in papers.items()
    }
    own = season.points_per_deal()
    keys = {}
    for bot, paper in papers.items():
        same = [
            other
            for other in papers
            if papers[other] and (points[other], buchholz[other]) == (points[bot], buchholz[bot])
        ]
        all_met = all((one, other) in duels for one in same for other in same if one != other)
        direct = (
            sum((duels[bot, other] for other in same if other != bot), Fraction(0))
            if all_met
            else Fraction(0)
        )
        keys[bot] = (
            (float(points[bot]), float(buchholz[bot]), float(direct), own.get(bot, LAST))
            if paper
            else (LAST,) * 4
        )
    return keys


def against(one: tuple[bool, int], other: tuple[bool, int]) -> Fraction:
    return Fraction(1, 2) if one == other else Fraction(one > other)


def by_stage(season: SeasonRecords) -> dict[str, Key]:
    """Play the bracket again: the best seed of each owner, the best against the worst, byes for the best."""
    seats, most = season.ladder["seats"], season.parameters.get("groups", 2)
    left, owners = list[str](), set[str]()
    for bot in season.rounds[0]["bots"]:
        owner = bot.split("/")[0]
        if owner == "house" or owner not in owners:
            left.append(bot)
        owners.add(owner)
    seeds = list(left)
    stage = dict.fromkeys(season.bots, LAST)
    number = 1
    while len(left) > 1:
        goal = 1
        while goal * seats < len(left):
            goal *= seats
        tables = -(-(len(left) - goal) // (seats - 1))
        assert tables * seats <= len(left)
        spare = tables * (seats - 1) - (len(left) - goal)
        through, playing = left[: len(left) - tables * seats], left[len(left) - tables * seats :]
        stage |= dict.fromkeys(through, number + 1) | dict.fromkeys(playing, number)
        done = True
        for table in range(tables):
            snake = [table, 2 * tables - 1 - table]
            bots = [bot for at, bot in enumerate(playing) if at % (2 * tables) in snake]
            advance = 1 + (spare if table == tables - 1 else 0)
            winners = winners_of(season, bots, advance, most, seeds)
            done = done and bool(winners)
            stage |= dict.fromkeys(winners, number + 1)
            through = [*through, *winners]
        if not done:
            break
        left, number = sorted(through, key=seeds.index), number + 1
    return {bot: (reached,) for bot, reached in stage.items()}


def winners_of(
    season: SeasonRecords, bots: Sequence[str], advance: int, most: int, seeds: list[str]
) -> list[str]:
    """Return who advances from a table; nobody while it is undecided."""
    results = [result for group in season.groups if set(result := result_of(group)) == set(bots)][:most]
    total = {
        bot: (all(each[bot][0] for each in results), sum(each[bot][1] for each in results)) for bot in bots
    }
    order = sorted(bots, key=lambda bot: (not total[bot][0], -total[bot][1], seeds.index(bot)))
    tied = total[order[advance - 1]] == total[order[advance]]
    return order[:advance] if results and (not tied or len(results) == most) else []


def by_verdict(season: SeasonRecords) -> dict[str, Key]:
    """Run the test of the first two entries over their groups again."""
    low, high = season.parameters.get("low"), season.parameters.get("high")
    own = season.points_per_deal()
    one, other = season.bots[:2]
    deals = season.ladder["seats"] if season.ladder["decks"] == "rotated" else 1
    mean = None
    if low is not None:
        seen: list[float] = []
        for group in season.groups:
            result = result_of(group)
            seen.append((result[one][1] - result[other][1]) / deals)
            if mean is None and len(seen) >= 16:
                mean = verdict(seen, low, high, season.parameters)
    keys: dict[str, Key] = {bot: (LAST, own.get(bot, LAST)) for bot in season.bots}
    for bot, sign in ((one, 1), (other, -1)):
        if mean:
            keys[bot] = (1.0 if sign * mean > 0 else 0.0, own[bot])
        else:
            keys[bot] = (0.5, own[bot] if mean is None else 0.0)
    return keys


def verdict(seen: Sequence[float], low: float, high: float, parameters: Json) -> float | None:
    """Return the mean that the sequential test accepts after these differences, or `None`."""
    alpha, beta = parameters.get("alpha", 0.05), parameters.get("beta", 0.05)
    middle, reach = (low + high) / 2, max(1.0, high - low)
    all_seen = [*seen, middle - reach, middle + reach]

    def surprise(mean: float) -> float:
        far = [value - mean for value in all_seen]
        bottom, top = -1 / max(far), -1 / min(far)
        for _ in range(200):
            tilt = (bottom + top) / 2
            if sum(each / (1 + tilt * each) for each in far) > 0:
                bottom = tilt
            else:
                top = tilt
        return sum(math.log1p((bottom + top) / 2 * each) for each in far)

    ratio = surprise(low) - surprise(high)
    if ratio >= math.log((1 - beta) / alpha):
        return high
    return low if ratio <= math.log(beta / (1 - alpha)) else None


KEYS = {
    "round_robin": by_points_per_deal,
    "gauntlet": by_points_per_deal,
    "arena": by_points_per_deal,
    "swiss": by_swiss_points,
    "knock_out": by_stage,
    "versus": by_verdict,
}
"""How each format is won."""


def winners(season: SeasonRecords) -> set[str]:
    """Return the bots in first place; in a bracket, the last bot left."""
    keys = KEYS[season.ladder["format"]](season)
    return {bot for bot, place in places(keys).items() if place == 1 and keys[bot][0] != LAST}
