"""Ratings by preset, and their published form.

A rating is a normal distribution of skill with `mu` and `sigma`. The ratings of a preset are fitted to all its groups
at once (`records.ratings.fit`). The service keeps what it published after each group, for curves.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, Final, NamedTuple

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
    this pool, which no chain of meetings connects with the anchor."""

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
    """A bot's rating as published when a group was new."""

    group: str
    ended: int
    rating: Rating
