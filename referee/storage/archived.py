"""Where archived matches are: the keys and values of the tables (`referee.tables`) that lead to them.

=m MATCH               place in the chain and in the archive (`ArchivedPlace`)
~l FACET ENDED MATCH   `[game, ladder, ending]` (JSON); the lists of `referee.storage.index`, by end in ms
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import orjson

from records.match.record import Record
from records.match.session import MatchConfig, MatchProgress
from redisio.walk import Place
from referee.storage.index import MatchFilter, facets
from referee.tables.store import LookUp

_LINK: Final = struct.Struct(">Q32s32s")
_POINTER: Final = struct.Struct(">IQIH")
_LATEST: Final = 10**15 - 1
"""The last instant that a key can have, in ms."""


class Pointer(NamedTuple):
    """The place of an archived match."""

    segment: int
    """The position of its segment in the register, from 0."""
    offset: int
    """Where its frame begins."""
    length: int
    """The bytes of its frame."""
    line: int
    """Its line in the frame, from 0."""


class ArchivedPlace(NamedTuple):
    """The places of a record in the chain and in the archive."""

    number: int
    previous: bytes
    link: bytes
    pointer: Pointer | None
    """`None` for a match that could not be read. It stays in Redis."""

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        link = _LINK.pack(self.number, self.previous, self.link)
        return link if self.pointer is None else link + _POINTER.pack(*self.pointer)

    @classmethod
    def from_bytes(cls, stored: bytes) -> ArchivedPlace:
        """Return the place of its stored form."""
        link, pointer = stored[: _LINK.size], stored[_LINK.size :]
        number, previous, own = _LINK.unpack(link)
        return cls(number, previous, own, Pointer(*_POINTER.unpack(pointer)) if pointer else None)


class ListedPlace(NamedTuple):
    """A place in a list, and what filters need to know of its match."""

    place: Place
    game: str
    ladder: str | None
    ending: str | None

    def may_fit(self, wanted: MatchFilter) -> bool:
        """Return whether the match may pass the filter. Annotations can still exclude it."""
        return (
            wanted.game in (None, self.game)
            and wanted.ladder in (None, self.ladder)
            and wanted.result in (None, self.ending)
        )


class ArchivedMatches(Protocol):
    """Reads archived matches. Its methods may raise `ArchiveAway`."""

    def recorded(self) -> int:
        """Return how many records there are, archived or not. Does not read the archive."""

    def archived(self) -> int:
        """Return the number of the last archived record, 0 if there is none. It rises before the record leaves Redis.
        Does not read the archive."""

    def pointers(self, ids: Sequence[str]) -> Mapping[str, Pointer]:
        """Return the places of those of these matches that are archived."""

    def match(self, pointer: Pointer) -> Record:
        """Return an archived match. Raise `ValueError` or `LookupError` for a damaged one."""

    def listed(
        self, facet: str, after: Place | None, first: int | None, most: int, *, descending: bool
    ) -> list[ListedPlace]:
        """Return places of a list after `after`, or from the instant `first` on; at most `most`."""


def match_key(match: str) -> bytes:
    """Return the key of a match's places."""
    return f"=m {match}".encode()


def list_entries(config: MatchConfig, progress: MatchProgress) -> dict[bytes, bytes]:
    """Return the entries of the lists that contain an archived match."""
    value = orjson.dumps([config.game, config.ladder, progress.ending])
    return {_list_key(facet, progress.ended or 0, config.id): value for facet in facets(config)}


def listed(
    tables: LookUp, facet: str, after: Place | None, first: int | None, most: int, *, descending: bool
) -> list[ListedPlace]:
    """Return the archived places of a list after `after`, or from the instant `first` on; at most `most`."""
    low, high = f"~l {facet} ".encode(), f"~l {facet}!".encode()
    if after is not None:
        at = _list_key(facet, int(after.score), after.member)
        low, high = (low, at) if descending else (at + b"\0", high)
    elif first is not None and descending:
        high = _list_key(facet, first + 1, "")
    elif first is not None:
        low = _list_key(facet, first, "")
    return [_listed(key, value) for key, value in tables.scan(low, high, most, descending=descending)]


def _listed(key: bytes, value: bytes) -> ListedPlace:
    _, _, ended, match = key.decode().split(" ")
    game, ladder, ending = orjson.loads(value)
    return ListedPlace(Place(float(int(ended)), match), game, ladder, ending)


def _list_key(facet: str, ended: int, match: str) -> bytes:
    return f"~l {facet} {min(max(ended, 0), _LATEST):015d} {match}".encode()
