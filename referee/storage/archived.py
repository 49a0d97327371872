"""Where archived matches are: the keys and values of the index (`referee.archive_index`) that lead to them.

=m MATCH               place in the chain and in the archive (`ArchivedPlace`)
~l FACET ENDED MATCH   `[config, progress, place]` (JSON), all that a list shows; the lists of
                       `referee.storage.index`, by end in ms
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import orjson

from records.match.record import Record
from records.match.session import MatchConfig, MatchProgress
from redisio.sorted_sets import Place
from referee.archive_index.index import ArchiveIndex
from referee.storage.index import ListedPlace, Pointer, facets

_LINK: Final = struct.Struct(">Q32s32s")
_POINTER: Final = struct.Struct(">IQIH")
_LATEST: Final = 10**15 - 1
"""The last instant that a key can have, in ms."""


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
    return f"=m {match}".encode()


def list_entries(config: MatchConfig, progress: MatchProgress, pointer: Pointer) -> dict[bytes, bytes]:
    """Return the entries of the lists that contain an archived match."""
    value = orjson.dumps([config.to_json(), progress.to_json(), list(pointer)])
    return {_list_key(facet, progress.ended or 0, config.id): value for facet in facets(config)}


def listed(
    index: ArchiveIndex, facet: str, after: Place | None, first: int | None, most: int, *, descending: bool
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
    rows = index.scan(low, high, most, descending=descending, lenient=True)
    return [_listed(key, value) for key, value in rows]


def _listed(key: bytes, value: bytes) -> ListedPlace:
    _, _, ended, match = key.decode().split(" ")
    config, progress, pointer = orjson.loads(value)
    return ListedPlace(
        Place(float(int(ended)), match),
        MatchConfig.from_json(config),
        MatchProgress.from_json(progress),
        Pointer(*pointer),
    )


def _list_key(facet: str, ended: int, match: str) -> bytes:
    return f"~l {facet} {min(max(ended, 0), _LATEST):015d} {match}".encode()
