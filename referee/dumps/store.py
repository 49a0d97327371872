"""Dumps: those that are published, and the one that is being written."""

from __future__ import annotations

import enum
from typing import NamedTuple


class FileKind(enum.StrEnum):
    """What a file of a dump holds."""

    RECORDS = "records"
    """Records as lines of JSON."""
    MATCHES = "matches"
    """A row for each match and seat."""
    DECISIONS = "decisions"
    """A row for each move of a seat."""
    ENDINGS = "endings"
    """The endgame sets of the package, a position per line."""
    CARD = "card"
    """The dataset card."""
    SUMS = "sums"
    """The checksums of the other files."""


class DumpFile(NamedTuple):
    name: str
    """Its public name; empty until the dump is published."""
    object: str
    """Its name in the object store, which follows from its content."""
    kind: str
    size: int
    """Bytes."""
    sha256: str
    rows: int | None
    """Rows or lines; `None` for a text."""


class Dump(NamedTuple):
    month: str
    made: int
    """When it was published, in ms since 1970."""
    matches: int
    decisions: int
    late: int
    """How many of its matches ended in an earlier month."""
    files: tuple[DumpFile, ...]

    def file(self, name: str) -> DumpFile | None:
        """Return the file with this public name."""
        return next((file for file in self.files if file.name == name), None)


class Piece(NamedTuple):
    """A piece of a file, stored as an object until the file is written."""

    kind: str
    object: str
    size: int
    """Bytes."""
    rows: int


class Draft(NamedTuple):
    """A dump that is being written."""

    month: str
    start: int
    """The number of segments that earlier dumps cover."""
    end: int
    """The number of segments that this one covers."""
    segment: int
    """The position of the segment to read next."""
    record: int = 0
    """The position of the record to read next in that segment."""
    matches: int = 0
    decisions: int = 0
    late: int = 0
    pieces: tuple[Piece, ...] = ()
    parts: tuple[DumpFile, ...] = ()
    """The files that are written already."""


class DumpState(NamedTuple):
    """How far the dumps are."""

    version: int = 0
    """Changes with every step."""
    month: str | None = None
    """The last month that was dumped, or in which no match ended."""
    segments: int = 0
    """The number of segments that the dumps cover."""
    draft: Draft | None = None
