"""The port of the store of luck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class StoredLuck(NamedTuple):
    """The luck of a match as far as it is computed."""

    mark: str
    """The version of the bots that played the baselines."""
    deals: Sequence[Sequence[int]]
    """By deal and seat, in the units of `league.results.luck.Luck`."""
    dealt: int
    """How many deals the match had."""


class MatchLuckStore(Protocol):
    """Keeps the luck of matches for a while. Whatever is lost is computed again on demand."""

    def luck(self, match: str) -> StoredLuck | None:
        """Return the stored luck of a match, if there is any."""

    def put_luck(self, match: str, found: StoredLuck) -> None:
        """Replace the stored luck of a match."""
