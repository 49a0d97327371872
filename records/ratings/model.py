"""The rating model: Plackett-Luce of Weng and Lin, one update per group, per preset.

R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011), algorithm 4, as
implemented by `openskill` 6.2.0. A rating is a normal distribution of skill with `mu` and `sigma`. Our choices:

* **Scale.** Bots start at 1500 ± 686 (1.96 sigma). Between two well-known bots 400 points mean odds of ten to one to
  have more points in a group. At a table of k sides the odds are flatter: 400·√(k/2) points for ten to one.
* **Ties.** An update is the mean over the possible orders of the tied sides. (The library halves the weight of a
  shared place. That is equivalent for two sides; with three it gives those who share first place no more than the
  last.)
* **Anchors** (`records.ratings.anchors`) never move, so that ratings of different months are comparable.
* **A new version** of a bot keeps its mu. Its sigma becomes at least `VERSION_SIGMA`.
* **No drift** (tau = 0): a version of a bot does not change, so its uncertainty only shrinks.
* **Rounding** to a millionth after each update, so that the last bits of a machine's `exp` do not accumulate.

The groups of a preset are processed in the order (ended, id), where `ended` is the end of the group's last match. The
sides of a group are sorted by the ids of their bots first, so the order of input does not matter.

What the store of the rating book returns.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from records.ratings.anchors import anchor
from records.results.group_result import GroupResult

if TYPE_CHECKING:
    from openskill.models import PlackettLuce


MU: Final = 1500.0
SIGMA: Final = 350.0
"""The sigma of an unknown bot, as in Glicko."""
VERSION_SIGMA: Final = 120.0
"""The minimum sigma of a version that has not played."""
BETA: Final = 400.0 / math.log(10.0) / math.sqrt(2.0)
Z: Final = 1.96
"""Half the width of the interval in sigmas: 95 % of a normal distribution."""
MODEL: Final = "plackett-luce-2"
"""Changes whenever the same groups could give other ratings. Anchors have a mark of their own."""
MOST_ORDERS: Final = 60
"""How many orders of tied sides are averaged at most; 60 is a multiple of most small numbers."""


class Rating(NamedTuple):
    """The estimated skill of a bot."""

    mu: float = MU
    sigma: float = SIGMA
    groups: int = 0
    """The number of groups that it has played in this preset."""
    version: str | None = None
    """The bot's version in the last of them."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mu - Z * self.sigma

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mu + Z * self.sigma


def preset_id(preset: str) -> str:
    """Return a preset's short name for keys and addresses: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(preset.encode()).hexdigest()[:16]


def updated(outcome: GroupResult, before: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return the ratings of a group's bots after it, by bot id. Bots missing in `before` have not played yet."""
    fixed = {player.id: anchor(outcome.preset, player.name) for player in outcome.players}
    known = {
        player.id: fixed[player.id] or _met(before.get(player.id, Rating()), player.version)
        for player in outcome.players
    }
    library = _library()
    found: dict[str, list[tuple[float, float]]] = {player.id: [] for player in outcome.players}
    for order in _orders(outcome.places()):
        teams = [
            [library.create_rating(list(known[bot.id])) for bot in outcome.sides[side].bots] for side in order
        ]
        for side, team in zip(order, library.rate(teams), strict=True):
            for bot, new in zip(outcome.sides[side].bots, team, strict=True):
                found[bot.id].append((new.mu, new.sigma))
    after: dict[str, Rating] = {}
    for player in outcome.players:
        groups = before.get(player.id, Rating()).groups + 1
        mu, sigma = fixed[player.id] or tuple(_mean(each) for each in zip(*found[player.id], strict=True))
        after[player.id] = Rating(mu, sigma, groups, player.version)
    return after


@cache
def _library() -> PlackettLuce:
    from openskill.models import PlackettLuce  # only a process that rates needs it

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0)


def _orders(places: Sequence[int]) -> Iterator[list[int]]:
    """Yield the orders of sides over which an update averages.

    Tied sides rotate, so that each stands in each shared place equally often. If that takes more than `MOST_ORDERS`
    orders, yield only as many, at even distances.
    """
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
    """Return a bot's rating with its interval as JSON, rounded to a tenth of a point."""
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


class PastRating(NamedTuple):
    """A bot's rating after a group."""

    group: str
    ended: int
    rating: Rating


class RatingLog(NamedTuple):
    """The position of a preset's log."""

    version: int
    """Changes with every write."""
    rated: int
    """How many of the first groups are rated by the requested model."""
    waiting: Sequence[GroupResult]
    """The next groups to rate."""
    archived: bool = False
    """Whether these are archived groups, which are rated again."""
