"""Ratings fitted jointly to all groups of a preset, with intervals of bots and of differences. Pure.

`records.ratings.posterior` has the model. The players are the **versions** of bots. A priori, the first version of a
bot lies around 1500 with the standard deviation `SIGMA`, and each later one around the version before it with
`VERSION_SIGMA`. A bot's rating is that of the version that played last. The time of a fit grows with the third power
of the number of players, so in a large preset the versions before the last one are one player.

The **anchor** is 1500. Bots that no chain of meetings connects with it form a **pool** of their own. Their ratings are
relative to the mean of the pool, which is set to 1500.

Only sums over groups enter, so the order of groups doesn't matter. Ratings are rounded to a thousandth of a point,
since machines differ in the last bits of `exp`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from records.ratings.model import MU, POINT, SIGMA, VERSION_SIGMA, Rating, is_anchor
from records.ratings.posterior import Posterior, SideComparison, Triangle, inverse
from records.results.group_result import GroupResult

DIGITS: Final = 3
MOST: Final = 400
"""With more versions in a preset, the versions of a bot before its last one count as one."""

Player = tuple[str, str]
"""The id of a bot and its version."""
Side = tuple[Player, ...]
Instant = tuple[int, str]
"""The end of a group and its id."""


@dataclass
class _Seen:
    """A bot in the results."""

    name: str
    groups: int = 0
    first: dict[str, Instant] = field(default_factory=dict)
    """By version, its first group."""
    last: tuple[Instant, str] = ((-1, ""), "")
    """The last group and the version then."""


class FittedRatings:
    """The ratings of a preset's bots by id, and the standard deviation of each difference."""

    def __init__(self, ratings: Mapping[str, Rating], place: Mapping[str, int], covariance: Triangle) -> None:
        """`place` says where a bot is in the covariance of skills. Anchors have no place."""
        self.ratings, self._place, self._covariance = ratings, place, covariance
        """`ratings` is in the order of the ids."""

    def deviation(self, bot: str, other: str) -> float | None:
        """Return the standard deviation of the difference of two ratings; `None` if the bots aren't comparable."""
        if self.ratings[bot].pool != self.ratings[other].pool:
            return None
        one, two = self._place.get(bot), self._place.get(other)
        variance = self._entry(one, one) + self._entry(two, two) - 2 * self._entry(one, two)
        return round(math.sqrt(max(0.0, variance)) / POINT, DIGITS)

    def _entry(self, one: int | None, other: int | None) -> float:
        if one is None or other is None:
            return 0.0
        return self._covariance[max(one, other)][min(one, other)]


class Results:
    """The results of a preset's groups, as sums. Groups may be added in any order."""

    def __init__(self, groups: Iterable[GroupResult] = ()) -> None:
        self._bots: dict[str, _Seen] = {}
        self._sums: dict[tuple[Side, Side, int], list[int]] = {}
        self.groups = 0
        for group in groups:
            self.add(group)

    def add(self, group: GroupResult) -> None:
        """Add the result of a group."""
        self.groups += 1
        when = (group.ended, group.id)
        for player in group.players:
            seen = self._bots.setdefault(player.id, _Seen(player.name))
            seen.groups += 1
            seen.first[player.version] = min(seen.first.get(player.version, when), when)
            seen.last = max(seen.last, (when, player.version))
        sides = [tuple((bot.id, bot.version) for bot in side.bots) for side in group.sides]
        ranked = sorted(zip(sides, group.places(), strict=True))
        for number, (side, place) in enumerate(ranked):
            for other, others in ranked[number + 1 :]:
                sums = self._sums.setdefault((side, other, len(sides)), [0, 0, 0])
                sums[0] += 1
                sums[1] += place < others
                sums[2] += place == others

    @property
    def work(self) -> float:
        """The approximate duration of the fit, in seconds."""
        players = self._versions if self._versions <= MOST else min(self._versions, 2 * len(self._bots))
        return 2e-5 * self.groups + 5e-5 * len(self._sums) + 4e-8 * players**3

    @property
    def _versions(self) -> int:
        return sum(len(seen.first) for seen in self._bots.values() if not is_anchor(seen.name))

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the bots by id."""
        return {bot: seen.name for bot, seen in self._bots.items()}

    def fitted(self) -> FittedRatings:
        """Return the ratings of all bots."""
        index, precision = self._players()
        posterior = Posterior(list(self._comparisons(index)), precision)
        skills, root = posterior.mode([0.0] * len(precision))
        if posterior.weigh(skills):
            skills, root = posterior.mode(skills)
        covariance = inverse(root)
        place = {
            bot: index[bot, seen.last[1]] for bot, seen in self._bots.items() if not is_anchor(seen.name)
        }
        ratings: dict[str, Rating] = {}
        for pool, bots in self._pools().items():
            places = {bot: place[bot] for bot in bots if bot in place}
            found = _on_the_scale(skills, covariance, places, relative=pool is not None)
            for bot in bots:
                mu, sigma = found.get(bot, (MU, 0.0))
                seen = self._bots[bot]
                ratings[bot] = Rating(
                    round(mu, DIGITS), round(sigma, DIGITS), seen.groups, seen.last[1], pool
                )
        return FittedRatings(dict(sorted(ratings.items())), place, covariance)

    def _players(self) -> tuple[dict[Player, int], Triangle]:
        """Return the players with their indexes, and the inverse of their covariance a priori."""
        index: dict[Player, int] = {}
        precision: Triangle = []
        merged = self._versions > MOST
        first, later = (1.0 / (sigma * POINT) ** 2 for sigma in (SIGMA, VERSION_SIGMA))
        for bot, seen in sorted(self._bots.items()):
            if is_anchor(seen.name):
                continue
            versions = sorted(seen.first, key=lambda each: (seen.first[each], each))
            if merged:
                versions.sort(key=lambda each: each == seen.last[1])
            for number, version in enumerate(versions):
                if merged and 0 < number < len(versions) - 1:
                    index[bot, version] = len(precision) - 1
                    continue
                index[bot, version] = len(precision)
                precision.append([0.0] * (len(precision) + 1))
                precision[-1][-1] += later if number else first
                if number:
                    precision[-1][-2] -= later
                    precision[-2][-1] += later
        return index, precision

    def _comparisons(self, index: Mapping[Player, int]) -> Iterable[SideComparison]:
        for (side, other, sides), (groups, wins, ties) in sorted(self._sums.items()):
            first, second = (
                tuple(index[each] for each in players if each in index) for players in (side, other)
            )
            yield SideComparison(
                first, second, (1.0 / len(side), 1.0 / len(other)), sides, groups, wins, ties
            )

    def _pools(self) -> dict[str | None, list[str]]:
        """Return the bots that chains of meetings connect: under `None` those connected with the anchor, the others
        under the least id of their pool."""
        parent = {bot: bot for bot in self._bots}

        def top(bot: str) -> str:
            while parent[bot] != bot:
                parent[bot] = bot = parent[parent[bot]]
            return bot

        for side, other, _ in self._sums:
            first, *others = (bot for bot, _ in (*side, *other))
            for bot in others:
                parent[top(bot)] = top(first)
        found: dict[str, list[str]] = defaultdict(list)
        for bot in sorted(self._bots):
            found[top(bot)].append(bot)
        anchored = {top(bot) for bot, seen in self._bots.items() if is_anchor(seen.name)}
        pools: dict[str | None, list[str]] = {None: []}
        for first, bots in found.items():
            pools.setdefault(None if first in anchored else bots[0], []).extend(bots)
        return pools


def _on_the_scale(
    skills: Sequence[float], covariance: Triangle, places: Mapping[str, int], *, relative: bool
) -> dict[str, tuple[float, float]]:
    """Return by bot mu and sigma, perhaps relative to the mean of these bots."""
    mean, variances = 0.0, {bot: covariance[one][one] for bot, one in places.items()}
    if relative:
        mean = math.fsum(skills[one] for one in places.values()) / len(places)
        with_mean = {
            bot: math.fsum(covariance[max(one, other)][min(one, other)] for other in places.values())
            / len(places)
            for bot, one in places.items()
        }
        of_mean = math.fsum(with_mean.values()) / len(places)
        variances = {bot: variances[bot] - 2 * with_mean[bot] + of_mean for bot in places}
    return {
        bot: (MU + (skills[one] - mean) / POINT, math.sqrt(max(0.0, variances[bot])) / POINT)
        for bot, one in places.items()
    }
