"""The matches that wait for the archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.archive.store import Register
from referee.match.snapshot import Snapshot
from referee.storage.store import MatchStore

_CHUNK: Final = 256


def waiting(register: Register, store: MatchStore, window: int) -> Iterator[tuple[str, Snapshot | None]]:
    """Yield the ids and matches that are not archived, in chain order, and `None` for one that can't be read.

    Asks for `window` ids first, and for twice as many each further time.
    """
    seen = 0
    while True:
        ids = register.waiting(window)
        for start in range(seen, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            yield from zip(chunk, store.read(chunk), strict=True)
        if len(ids) < window:
            return
        seen, window = len(ids), 2 * window
