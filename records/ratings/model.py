"""Ratings by preset, and their running estimates after each group.

A rating is a normal distribution of skill with `mu` and `sigma`. The ratings of a preset are fitted to all its groups
at once (`records.ratings.fit`). A **running estimate** says what a bot's rating was after each of its groups, for
pairing and for curves. It is the same model with only that group as results; the priors are the estimates before, as
if they were independent. Groups are processed in the order (ended, id), where `ended` is the end of the group's last
match. `mu` and `sigma` are rounded to a millionth after each, so that the last bits of a machine's `exp` do not
accumulate.

`RatingLog` is what the store of the rating book returns.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from records.results.group_result import GroupResult

ANCHOR: Final = "house/greedy"
"""The bot that is rated 1500 in every preset."""
MU: Final = 1500.0
SIGMA: Final = 700.0
"""The sigma of an unknown bot: it may be anything from hopeless to perfect."""
VERSION_SIGMA: Final = 120.0
"""The sigma of the difference of a version from the one before."""
POINT: Final = math.log(10.0) / 400.0
"""A point on the logistic scale."""
Z: Final = 1.96
"""Half the width of the interval in sigmas: 95 % of a normal distribution."""
MODEL: Final = "bradley-terry-1"
"""Changes whenever the same groups could give other ratings."""


class Rating(NamedTuple):
    """The estimated skill of a bot."""

    mu: float = MU
    sigma: float = SIGMA
    groups: int = 0
    """The number of groups that it has played in this preset."""
    version: str | None = None
    """The bot's version in the last of them."""
    pool: str | None = None
    """`None` if the rating is on the scale of the anchor. Else it is relative to the mean of a pool: the bots with
    this pool, which no chain of meetings connects with the anchor. Running estimates have none."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mu - Z * self.sigma

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mu + Z * self.sigma


def is_anchor(name: str) -> bool:
    """Return whether the rating of this bot is fixed."""
    return name == ANCHOR


def preset_id(preset: str) -> str:
    """Return a preset's short name for keys and addresses: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(preset.encode()).hexdigest()[:16]


def shown(name: str, rating: Rating) -> dict[str, Any]:
    """Return a bot's rating with its interval as JSON, rounded to a tenth of a point."""
    return {
        "rating": round(rating.mu, 1),
        "low": round(rating.low, 1),
        "high": round(rating.high, 1),
        "mu": rating.mu,
        "sigma": rating.sigma,
        "groups": rating.groups,
        "version": rating.version,
        "anchor": is_anchor(name),
        "pool": rating.pool,
    }


class PastRating(NamedTuple):
    """A bot's running estimate after a group."""

    group: str
    ended: int
    rating: Rating


class RatingLog(NamedTuple):
    """The position of a preset's log."""

    version: int
    """Changes with every write."""
    rated: int
    """How many of the first groups have running estimates by the requested model."""
    waiting: Sequence[GroupResult]
    """The next groups to rate."""
    archived: bool = False
    """Whether these are archived groups, which are rated again."""
