"""What the store of the rating book returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from league.ratings.model import Rating
from league.results.group_result import GroupResult


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
