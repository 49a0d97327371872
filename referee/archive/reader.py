"""Reads archived matches and their places."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from records.match.record import Record
from redisio.sorted_sets import Place
from referee.archive.redis import RedisRegister
from referee.archive.segment import lines_of, parse_match
from referee.archive_index.index import ArchiveIndex
from referee.byte_cache import ByteCache
from referee.object_store import ArchiveAway, ObjectMissing, Objects, is_there
from referee.storage.archived import ArchivedPlace, listed, match_key
from referee.storage.index import ListedPlace, Pointer

MISSING_S: Final = 1.0
"""How long a segment counts as missing, so that a list of its matches does not look for it each time."""


class ArchiveReader:
    """Reads archived matches. Safe to share between greenlets and threads."""

    def __init__(
        self,
        register: RedisRegister,
        objects: Objects,
        index: ArchiveIndex,
        cache: ByteCache | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._register, self._objects, self._index = register, objects, index
        self._cache = cache or ByteCache()
        self._names: list[str] = []
        self._monotonic = monotonic
        self._missing: dict[int, float] = {}
        """Segments that were missing, and until when they count as such."""

    def recorded(self) -> int:
        """Return how many records there are, archived or not."""
        return self._register.recorded()

    def archived(self) -> int:
        """Return the number of the last archived record, 0 if there is none."""
        return self._register.archived()

    def pointers(self, ids: Sequence[str]) -> dict[str, Pointer]:
        """Return the places of those of these matches that are archived."""
        found = zip(ids, self._index.get([match_key(match) for match in ids]), strict=True)
        places = {match: ArchivedPlace.from_bytes(raw) for match, raw in found if raw is not None}
        return {match: place.pointer for match, place in places.items() if place.pointer is not None}

    def match(self, pointer: Pointer) -> Record:
        """Return an archived match. Raise `ArchiveAway`, and `ValueError` or `LookupError` if its segment is damaged or
        missing."""
        name = self._name(pointer.segment)

        def made() -> tuple[list[bytes], int]:
            lines = lines_of(self._part(name, pointer))
            return lines, sum(map(len, lines))

        try:
            return parse_match(self._cache.get((name, pointer.offset), made)[pointer.line]).record
        except (ValueError, LookupError):
            self._index.manifest.note_damaged(name)
            raise

    def listed(
        self, facet: str, after: Place | None, first: int | None, most: int, *, descending: bool
    ) -> list[ListedPlace]:
        """Return places of a list after `after`, or from the instant `first` on; at most `most`."""
        return listed(self._index, facet, after, first, most, descending=descending)

    def _part(self, name: str, pointer: Pointer) -> bytes:
        """Return the frame of a match. Raise `LookupError` if its segment is missing, and a segment beside it is there:
        so the archive is not away as a whole."""
        number = pointer.segment
        if self._monotonic() < self._missing.get(number, 0.0):
            raise LookupError(f"{name} is missing from the archive")
        try:
            return self._objects.read_part(name, pointer.offset, pointer.length)
        except ObjectMissing as error:
            if not is_there(self._objects, self._names[max(0, number - 1) : number + 2]):
                raise
            self._missing[number] = self._monotonic() + MISSING_S
            raise LookupError(f"{name} is missing from the archive") from error

    def _name(self, segment: int) -> str:
        if segment >= len(self._names):
            # Segments never change, so the known names stay.
            self._names = [entry.name for entry in self._register.segments()]
        if segment >= len(self._names):
            raise ArchiveAway(f"the register has no segment {segment}")
        return self._names[segment]
