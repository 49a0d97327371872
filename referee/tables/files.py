"""Tables in the object store, with a cache of what a process reads of them."""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, TypeVar

from referee.tables.cache import ByteCache
from referee.tables.store import ArchiveAway, Objects, TablePart, TableRun
from referee.tables.table import (
    END_BYTES,
    BuiltTable,
    DamagedTable,
    Directory,
    Entry,
    decompressed,
    digest_of,
    parse_block,
    parse_directory,
    parse_end,
)

T = TypeVar("T")

READ_BYTES: Final = 1 << 20
"""How many bytes one request of a merge reads, about."""
_KEY_BYTES: Final = 120
"""What a directory takes in memory for each block."""


class TableFiles:
    """Reads, creates and deletes tables. Safe to share between greenlets and threads."""

    def __init__(self, objects: Objects, cache: ByteCache) -> None:
        self._objects, self._cache = objects, cache

    def create(self, built: BuiltTable) -> TablePart:
        """Store a table under a name that is never used again, whatever its content. So deleting a table removes
        nothing that another process wrote."""
        name = f"index/{built.digest}-{secrets.token_hex(4)}.table"
        self._objects.create(name, built.data)
        if self._objects.read(name) != built.data:
            raise DamagedTable(f"{name} reads differently than it was written")
        return TablePart(name, built.first.decode(), len(built.data), built.entries)

    def discard(self, part: TablePart) -> None:
        """Delete a table that did not become visible, if the archive can be reached."""
        with suppress(ArchiveAway):
            self._objects.delete(part.name)

    def delete(self, name: str) -> None:
        """Delete a table, if it is there."""
        self._objects.delete(name)

    def directory(self, part: TablePart) -> Directory:
        def made() -> tuple[Directory, int]:
            ending = parse_end(self._objects.read_part(part.name, part.size - END_BYTES, END_BYTES))
            length = ending.directory_length + ending.filter_length
            directory = parse_directory(self._objects.read_part(part.name, ending.directory, length), ending)
            return directory, ending.filter_length + _KEY_BYTES * len(directory.places)

        return self._cache.get((part.name, -1), lambda: _whole(part, made))

    def block(self, part: TablePart, directory: Directory, number: int) -> list[Entry]:
        offset, length = directory.places[number]

        def made() -> tuple[bytes, int]:
            block = decompressed(self._objects.read_part(part.name, offset, length))
            return block, len(block)

        return parse_block(self._cache.get((part.name, offset), lambda: _whole(part, made)))

    def chunks(self, run: TableRun, first: bytes) -> Iterator[list[Entry]]:
        """Yield the entries of a run from this key on, some at a time. They do not enter the cache."""
        for part in run.parts[max(0, part_of(run, first)) :]:
            directory = self.directory(part)
            number = max(0, directory.block_of(first))
            while number < len(directory.places):
                offset = directory.places[number][0]
                end = number
                while end < len(directory.places) and directory.places[end][0] - offset < READ_BYTES:
                    end += 1
                entries = self._range(part, directory, number, end)
                if entries[0][0] < first:
                    entries = [entry for entry in entries if entry[0] >= first]
                if entries:
                    yield entries
                number = end

    def fault(self, part: TablePart) -> str | None:
        """Return what is wrong with a table."""
        try:
            data = self._objects.read(part.name)
        except ArchiveAway as error:
            return str(error)
        digest = part.name.removeprefix("index/").removesuffix(".table").partition("-")[0]
        return None if digest == digest_of(data) else "the name does not follow from the content"

    def _range(self, part: TablePart, directory: Directory, number: int, end: int) -> list[Entry]:
        """Return the entries of the blocks from `number` to before `end`."""
        places = directory.places[number:end]
        start = places[0][0]

        def made() -> list[Entry]:
            data = self._objects.read_part(part.name, start, sum(length for _, length in places))
            blocks = [decompressed(data[at - start : at - start + length]) for at, length in places]
            return [entry for block in blocks for entry in parse_block(block)]

        return _whole(part, made)


def part_of(run: TableRun, key: bytes) -> int:
    """Return the number of the table that has this key if any of the run has it; -1 before the first."""
    return bisect_right(run.parts, key, key=lambda part: part.first.encode()) - 1


def _whole(part: TablePart, make: Callable[[], T]) -> T:
    """Return what `make` reads. Raise `ArchiveAway` for a damaged table: nothing else knows what it holds."""
    try:
        return make()
    except DamagedTable as error:
        raise ArchiveAway(f"{part.name}: {error}") from error
