"""Ratings: the Plackett-Luce model of Weng and Lin, one update a group, per preset.

R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011), algorithm 4, as the
library `openskill` 6.2.0 has it. A rating is a normal distribution of skill: `mu` and `sigma`. What is ours:

* **The scale.** Everybody begins at 1500 ± 686 (1.96 sigma). Between two well-known bots 400 points are odds of ten to
  one to have more points in a group. At a table of k sides the odds are flatter: 400·√(k/2) points for ten to one.
* **Ties.** An update is the mean of those for the orders in which the tied can stand. (The library's own way, to halve
  what a shared place weighs, is the same for two sides; of three it gives those who share the first place no more
  than the one behind them.)
* **Anchors** (`league.ratings.anchors`) never move, so that ratings of different months can be compared.
* **A new version** of a bot is a player like the old one but not it: its sigma becomes at least `VERSION_SIGMA`.
* **No drift** (tau = 0): a version of a bot is as strong today as yesterday, so its uncertainty only shrinks.
* **Rounding** to a millionth after each update, so that the last bit of another machine's `exp` is lost and does
  not grow.

The groups of a preset are taken in the order (ended, id), where `ended` is the end of the group's last match. The sides
of a group are sorted by their bots' ids before the library sees them, so no order of input, of hashing or of arrival
shows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from openskill.models import PlackettLuce

from league.ratings.anchors import anchor
from league.results.group_result import GroupResult

MU: Final = 1500.0
SIGMA: Final = 350.0
"""Of a bot that nobody knows yet; Glicko's."""
VERSION_SIGMA: Final = 120.0
"""The least sigma of a version that has not played."""
BETA: Final = 400.0 / math.log(10.0) / math.sqrt(2.0)
Z: Final = 1.96
"""How many sigmas the interval reaches to either side: 95 % of a normal distribution."""
MODEL: Final = "plackett-luce-2"
"""Changes whenever the same groups could come to other ratings; the anchors have a mark of their own."""
MOST_ORDERS: Final = 60
"""Of sides that share places so many orders are reckoned at most: 60 is a multiple of most small numbers."""

_LIBRARY: Final = PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0)


class Rating(NamedTuple):
    """How strong a bot is, as far as is known."""

    mu: float = MU
    sigma: float = SIGMA
    groups: int = 0
    """How many it has played in this preset."""
    version: str | None = None
    """The bot's version in the last of them."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mu - Z * self.sigma

    @property
    def high(self) -> float:
        """Its upper end."""
        return self.mu + Z * self.sigma


def preset_id(preset: str) -> str:
    """A name's short form, for keys and addresses: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(preset.encode()).hexdigest()[:16]


def updated(outcome: GroupResult, before: Mapping[str, Rating]) -> dict[str, Rating]:
    """The ratings of a group's bots after it, by bot id; who is not in `before` has played nothing yet."""
    fixed = {player.id: anchor(outcome.preset, player.name) for player in outcome.players}
    known = {
        player.id: fixed[player.id] or _met(before.get(player.id, Rating()), player.version)
        for player in outcome.players
    }
    found: dict[str, list[tuple[float, float]]] = {player.id: [] for player in outcome.players}
    for order in _orders(outcome.places()):
        teams = [
            [_LIBRARY.create_rating(list(known[bot.id])) for bot in outcome.sides[side].bots]
            for side in order
        ]
        for side, team in zip(order, _LIBRARY.rate(teams), strict=True):
            for bot, new in zip(outcome.sides[side].bots, team, strict=True):
                found[bot.id].append((new.mu, new.sigma))
    after: dict[str, Rating] = {}
    for player in outcome.players:
        groups = before.get(player.id, Rating()).groups + 1
        mu, sigma = fixed[player.id] or tuple(_mean(each) for each in zip(*found[player.id], strict=True))
        after[player.id] = Rating(mu, sigma, groups, player.version)
    return after


def _orders(places: Sequence[int]) -> Iterator[list[int]]:
    """The orders of sides whose mean an update is: one, or where sides share a place as many as it takes for each of
    them to stand in each of the places that they share equally often; where these would be very many, `MOST_ORDERS`, in
    which they do so as nearly as can be."""
    shared: dict[int, list[int]] = {}
    for side, place in enumerate(places):
        shared.setdefault(place, []).append(side)
    groups = [sides for _, sides in sorted(shared.items())]
    turns = math.lcm(*map(len, groups))
    for turn in range(min(turns, MOST_ORDERS)):
        order: list[int] = []
        for sides in groups:
            first = turn % len(sides) if turns <= MOST_ORDERS else turn * len(sides) // MOST_ORDERS
            order += sides[first:] + sides[:first]
        yield order


def _mean(values: Sequence[float]) -> float:
    return round(math.fsum(values) / len(values), 6)


def _met(rating: Rating, version: str) -> tuple[float, float]:
    if rating.version in (None, version):
        return rating.mu, rating.sigma
    return rating.mu, max(rating.sigma, VERSION_SIGMA)


def shown(preset: str, name: str, rating: Rating) -> dict[str, Any]:
    """The rating of a bot of this full name as people and programs read it, never without its interval; to a tenth of a
    point."""
    return {
        "rating": round(rating.mu, 1),
        "low": round(rating.low, 1),
        "high": round(rating.high, 1),
        "mu": rating.mu,
        "sigma": rating.sigma,
        "groups": rating.groups,
        "version": rating.version,
        "anchor": anchor(preset, name) is not None,
    }
