"""The matches that wait for the archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from records.match.snapshot import Snapshot
from referee.archive.store import Register
from referee.storage.redis import RedisMatchStore

_CHUNK: Final = 256


def waiting(register: Register, store: RedisMatchStore, window: int) -> Iterator[tuple[str, Snapshot | None]]:
    """Yield the ids and matches that are not archived, in chain order, and `None` for one that can't be read.

    Asks for `window` ids first, and for twice as many each further time.
    """
    seen: set[str] = set()
    while True:
        ids = register.waiting(window)
        # By id, not by place: another process may have archived the first ones meanwhile.
        new = [match for match in ids if match not in seen]
        for start in range(0, len(new), _CHUNK):
            chunk = new[start : start + _CHUNK]
            yield from zip(chunk, store.read(chunk), strict=True)
        if len(ids) < window:
            return
        seen.update(new)
        window *= 2
