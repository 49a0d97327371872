"""The segments of the archive, and what finished matches leave there besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from records.match.session import MatchConfig


class SegmentEntry(NamedTuple):
    name: str
    first: int
    last: int
    records: int
    size: int
    """Bytes."""
    ended: int
    """The last end of its matches, in ms since 1970."""


class Leftovers(Protocol):
    """What a package stores about finished matches, and moves to the index with them."""

    def entries(self, matches: Sequence[MatchConfig]) -> Mapping[bytes, bytes]:
        """Return the entries of the index that replace what Redis has."""

    def remove(self, entries: Mapping[bytes, bytes]) -> None:
        """Remove from Redis what these entries contain, except where it changed meanwhile."""
