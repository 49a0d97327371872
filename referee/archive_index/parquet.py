"""One file of the index: rows of key and value in Parquet, sorted by key.

The footer has the first key of each row group, so a reader fetches the footer once, and one row group for a look-up.
A null value removes the key. Pages and footers have checksums, so a changed byte is found when it is read.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from referee.object_store import ArchiveAway

Entry = tuple[bytes, bytes | None]
"""A key, ASCII text, and its value; `None` removes the key from older runs."""

GROUP_ROWS: Final = 512
"""Rows of a row group, which one look-up reads."""
_LEVEL: Final = 3
_END: Final = 8
"""The bytes after the footer: its length and Parquet's mark."""


class DamagedFile(ArchiveAway):
    """A file of the index is missing or damaged."""


class IndexFile(NamedTuple):
    """A file of the index, as the manifest names it."""

    name: str
    first: str
    """Its first key."""
    size: int
    """Bytes."""
    rows: int
    footer: int
    """The bytes of the footer, at its end."""
    checksum: int
    """The CRC-32 of the footer."""


class RowGroups(NamedTuple):
    metadata: Any
    """Arrow's metadata."""
    firsts: list[bytes]
    """The first key of each row group."""
    places: list[int]
    """Where each row group begins, and at last where the last one ends."""

    def group_of(self, key: bytes) -> int:
        """Return the number of the row group that has this key if any has it; -1 before the first."""
        return bisect_right(self.firsts, key) - 1


def built(rows: Sequence[Entry]) -> bytes:
    """Return the file of these rows, which are sorted by key without repetition. Equal rows give equal bytes."""
    # Here and below, since Arrow takes time and memory to load, which a process without an archive saves.
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(
        pa.table(
            {
                "key": pa.array([key.decode("ascii") for key, _ in rows], pa.string()),
                "value": pa.array([value for _, value in rows], pa.binary()),
            }
        ),
        out,
        row_group_size=GROUP_ROWS,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=False,
        column_encoding={"key": "DELTA_BYTE_ARRAY", "value": "PLAIN"},
        write_statistics=["key"],
        write_page_checksum=True,
        store_schema=False,
    )
    return out.getvalue()


def described(name: str, first: bytes, rows: int, data: bytes) -> IndexFile:
    """Return the place of a file in the manifest."""
    footer = int.from_bytes(data[-_END:-4], "little") + _END
    return IndexFile(name, first.decode(), len(data), rows, footer, zlib.crc32(data[-footer:]))


def digest_of(data: bytes) -> str:
    """Return the digest that begins the name of a file."""
    return hashlib.sha256(data).hexdigest()[:32]


def parsed_footer(file: IndexFile, data: bytes) -> RowGroups:
    """Return the footer of its bytes. Raise `DamagedFile`."""
    import pyarrow.parquet as pq

    if zlib.crc32(data) != file.checksum:
        raise DamagedFile(f"{file.name}: its footer is damaged")
    metadata = pq.read_metadata(io.BytesIO(data))
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return RowGroups(
        metadata,
        [group.column(0).statistics.min.encode() for group in groups],
        [*(group.column(0).data_page_offset for group in groups), file.size - file.footer],
    )


def rows_of(file: IndexFile, footer: RowGroups, first: int, end: int, data: bytes) -> list[Entry]:
    """Return the rows of the row groups from `first` to before `end`, of their bytes. Raise `DamagedFile`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        opened = pq.ParquetFile(
            _Part(data, footer.places[first]),
            metadata=footer.metadata,
            pre_buffer=False,
            page_checksum_verification=True,
        )
        found = opened.read_row_groups(range(first, end), use_threads=False)
        keys = found.column("key").cast(pa.binary()).to_pylist()
        return list(zip(keys, found.column("value").to_pylist(), strict=True))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedFile(f"{file.name}: {error}") from error


class _Part(io.BytesIO):
    """A file whose first `start` bytes are not here."""

    def __init__(self, data: bytes, start: int) -> None:
        super().__init__(data)
        self._start = start

    def tell(self) -> int:
        return self._start + super().tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        at = max(0, offset - self._start) if whence == io.SEEK_SET else offset
        return self._start + super().seek(at, whence)
