"""The ports of the archive: the register of its segments, and its objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from referee.storage.pointer import Pointer


class ArchiveAway(Exception):
    """The archive can't be reached, or lacks a segment. What needs it may be tried again."""


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

    def archived(self) -> int:
        """Return the number of the last archived record, 0 if there is none."""

    def waiting(self, most: int) -> list[str]:
        """Return the matches of the records that follow the last archived one, at most `most`."""

    def segments(self, start: int = 0) -> list[SegmentEntry]:
        """Return the segments from this position on, in chain order."""

    def append(self, entry: SegmentEntry) -> bool:
        """Append a segment. Return whether it follows the last archived record; otherwise nothing changes."""

    def pointed(self) -> int:
        """Return how many segments have all their matches replaced by pointers."""

    def set_pointed(self, segments: int) -> None:
        """Store the number of finished segments. Never lowers it."""

    def point(self, pointers: Mapping[str, Pointer]) -> None:
        """Replace these stored matches by pointers. A match that is a pointer already stays as it is."""


class Objects(Protocol):
    """An object store."""

    place: str
    """Where it is, without credentials."""

    def create(self, name: str, data: bytes) -> None:
        """Store a new object durably. An object of this name may exist; it then stays. Raise `ArchiveAway`."""

    def read(self, name: str) -> bytes:
        """Return an object. Raise `ArchiveAway`, also if there is none."""

    def read_part(self, name: str, offset: int, length: int) -> bytes:
        """Return a part of an object. Raise `ArchiveAway`, also if there is none."""

    def names(self, prefix: str) -> list[str]:
        """Return the names of all objects with this prefix. Raise `ArchiveAway`."""
