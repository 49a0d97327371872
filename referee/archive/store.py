"""The ports of the archive: the register of its segments, and what finished matches leave besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from records.match.session import MatchConfig


class SegmentEntry(NamedTuple):
    """A segment in the register."""

    name: str
    first: int
    last: int
    records: int
    size: int
    """Bytes."""
    ended: int
    """The last end of its matches, in ms since 1970."""


class Register(Protocol):
    """The segments of the archive, and which numbers of the chain they cover."""

    def recorded(self) -> int:
        """Return how many records the chain has."""

    def archived(self) -> int:
        """Return the number of the last archived record, 0 if there is none."""

    def waiting(self, most: int) -> list[str]:
        """Return the matches of the records that follow the last archived one, at most `most`."""

    def segments(self, start: int = 0) -> list[SegmentEntry]:
        """Return the segments from this position on, in chain order."""

    def append(self, entry: SegmentEntry) -> bool:
        """Append a segment. Return whether it follows the last archived record; otherwise nothing changes."""

    def removed(self) -> int:
        """Return the number of segments whose matches have left Redis."""

    def set_removed(self, segments: int) -> None:
        """Store the number of segments that have left Redis. Never lowers it."""

    def remove(self, matches: Sequence[MatchConfig]) -> None:
        """Remove these stored matches and their places in lists. A missing match stays missing."""


class Leftovers(Protocol):
    """What a package stores about finished matches, and moves to the index with them."""

    def entries(self, matches: Sequence[MatchConfig]) -> Mapping[bytes, bytes]:
        """Return the entries of the index that replace what Redis has."""

    def remove(self, entries: Mapping[bytes, bytes]) -> None:
        """Remove from Redis what these entries contain, except where it changed meanwhile."""
