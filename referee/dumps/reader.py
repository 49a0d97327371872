"""Lists dumps and reads their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.dumps.redis import RedisDumps
from referee.dumps.store import Dump, DumpFile
from referee.object_store import ArchiveAway, Objects

CHUNK_BYTES: Final = 1 << 20


class DumpReader:
    """The published dumps. Safe to share between greenlets and threads."""

    def __init__(self, dumps: RedisDumps, objects: Objects | None) -> None:
        self._dumps, self._objects = dumps, objects

    def dumps(self) -> list[Dump]:
        """Return the dumps, the last month first."""
        return self._dumps.dumps()[::-1]

    def file(self, month: str, name: str) -> DumpFile | None:
        """Return a file of a dump by its public name; `None` if there is none."""
        found = next((dump for dump in self._dumps.dumps() if dump.month == month), None)
        return None if found is None else found.file(name)

    def chunks(self, file: DumpFile, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes of a file from `start` to before `stop`, a chunk at a time. Raise `ArchiveAway` before the
        first one is yielded if there is no archive."""
        if self._objects is None:
            raise ArchiveAway("this service has no archive")
        for at in range(start, stop, CHUNK_BYTES):
            yield self._objects.read_part(file.object, at, min(CHUNK_BYTES, stop - at))
