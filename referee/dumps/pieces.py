"""Pieces of a dump's files, and the files made of them. A piece is a whole file of its kind, but small."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from engine.game import Refusal
from referee.dumps.columns import DECISIONS, MATCHES, ParquetColumn, schema_of
from referee.dumps.months import month_of
from referee.dumps.rows import ChainedRecord, Row, decision_rows, match_rows
from referee.dumps.store import FileKind

LEVEL: Final = 6
"""The zstd level of records."""
GROUP_ROWS: Final = 16_384
"""The rows of a row group; of decisions some 15 MB before compression."""
_BATCH: Final = 2_048
_COLUMNS: Final = {FileKind.MATCHES: MATCHES, FileKind.DECISIONS: DECISIONS}
_UNIQUE: Final = frozenset({"observation", "sha256", "link"})
"""Columns whose values rarely repeat: a dictionary would only take memory."""

log = logging.getLogger(__name__)


class Content(NamedTuple):
    """The content of a file or a piece."""

    data: bytes
    rows: int


class TableWriter:
    """Writes a table as Parquet, and keeps at most a row group before compression."""

    def __init__(self, columns: Sequence[ParquetColumn]) -> None:
        self._schema, self._out = schema_of(tuple(columns)), io.BytesIO()
        names = [name for name in self._schema.names if name not in _UNIQUE]
        self._writer = pq.ParquetWriter(self._out, self._schema, compression="zstd", use_dictionary=names)
        self._rows: list[Row] = []
        self._tables: list[pa.Table] = []
        self._waiting = self._written = 0

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._rows.append(row)
            if len(self._rows) == _BATCH:
                self._convert()

    def append(self, table: pa.Table) -> None:
        self._tables.append(table)
        self._waiting += len(table)
        if self._waiting >= GROUP_ROWS:
            self._flush()

    def close(self) -> Content:
        """Return the file. Nothing can be written afterwards."""
        self._convert()
        self._flush()
        self._writer.close()
        return Content(self._out.getvalue(), self._written)

    def _convert(self) -> None:
        if self._rows:
            self.append(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []

    def _flush(self) -> None:
        if self._tables:
            self._writer.write_table(pa.concat_tables(self._tables), row_group_size=GROUP_ROWS)
            self._written += self._waiting
            self._tables, self._waiting = [], 0


class PieceBuilder:
    """Makes a piece of each kind from some records of a dump."""

    def __init__(self, month: str) -> None:
        self._month = month
        self._records = io.BytesIO()
        self._press = zstandard.ZstdCompressor(level=LEVEL).stream_writer(self._records, closefd=False)
        self._matches, self._decisions = TableWriter(MATCHES), TableWriter(DECISIONS)
        self.looked = self.matches = self.decisions = self.late = 0

    def look(self, chained: ChainedRecord, *, own: bool) -> None:
        """Count a record, and add it if it is the dump's `own`."""
        self.looked += 1
        if not own:
            return
        self._press.write(chained.line())
        self._matches.add(match_rows(chained))
        self._decisions.add(self._replayed(chained))
        self.matches += 1
        self.late += month_of(chained.ended) < self._month

    def close(self) -> dict[FileKind, Content]:
        """Return the pieces, none without a row."""
        self._press.flush(zstandard.FLUSH_FRAME)
        made = {
            FileKind.RECORDS: Content(self._records.getvalue(), self.matches),
            FileKind.MATCHES: self._matches.close(),
            FileKind.DECISIONS: self._decisions.close(),
        }
        return {kind: content for kind, content in made.items() if content.rows}

    def _replayed(self, chained: ChainedRecord) -> Iterator[Row]:
        """Yield the decisions of a match. If its rules have changed since, it has none from there on."""
        try:
            for row in decision_rows(chained.record):
                self.decisions += 1
                yield row
        except Refusal as refusal:
            log.error("the dump has no decisions of match %s: %s", chained.match, refusal)


def joined(kind: FileKind, pieces: Iterable[bytes]) -> Content:
    """Return the file that these pieces of one kind make. Holds one piece at a time, and the file."""
    if kind is FileKind.RECORDS:
        return _joined_records(pieces)
    writer = TableWriter(_COLUMNS[kind])
    for piece in pieces:
        with pq.ParquetFile(pa.BufferReader(piece)) as table:
            for group in range(table.num_row_groups):
                writer.append(table.read_row_group(group))
    return writer.close()


def _joined_records(pieces: Iterable[bytes]) -> Content:
    """Return one zstd frame, because many readers stop at the end of the first."""
    out, lines = io.BytesIO(), 0
    press = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).stream_writer(out, closefd=False)
    with press:
        for piece in pieces:
            for chunk in zstandard.ZstdDecompressor().read_to_iter(piece):
                lines += chunk.count(b"\n")
                press.write(chunk)
    return Content(out.getvalue(), lines)
