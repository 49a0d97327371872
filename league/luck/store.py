"""What the store of luck returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class StoredLuck(NamedTuple):
    """The luck of a match as far as it is computed."""

    mark: str
    """The version of the bots that played the baselines."""
    deals: Sequence[Sequence[int]]
    """By deal and seat, in the units of `league.results.luck.Luck`."""
    dealt: int
    """How many deals the match had."""
