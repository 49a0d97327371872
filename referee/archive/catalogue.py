"""The catalogue of the archive: one row for each match, in Parquet, for DuckDB, pandas, Polars and others.

Each segment has a file for each month in which its matches ended:

    catalogue/month=2026-11/000000000001-000000002048-<digest>.parquet

The columns `segment`, `offset`, `length` and `line` lead to the record: the line in the zstd frame at that place.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from records.instants import ms_of
from records.match.log import moves_in
from referee.archive.segment import ArchivedMatch, Footer

_INSTANT: Final = pa.timestamp("ms", tz="UTC")
_SEAT: Final = pa.struct([("bot", pa.string()), ("id", pa.string()), ("version", pa.string())])
SCHEMA: Final = pa.schema(
    [
        ("id", pa.string()),
        ("number", pa.int64()),
        ("game", pa.string()),
        ("preset", pa.string()),
        ("rules", pa.string()),
        ("deals", pa.int32()),
        ("seats", pa.list_(_SEAT)),
        ("rated", pa.bool_()),
        ("ladder", pa.string()),
        ("season", pa.int32()),
        ("round", pa.int32()),
        ("group", pa.string()),
        ("started", _INSTANT),
        ("ended", _INSTANT),
        ("ending", pa.string()),
        ("scores", pa.list_(pa.int32())),
        ("places", pa.list_(pa.int32())),
        ("forfeits", pa.list_(pa.int32())),
        ("moves", pa.int32()),
        ("segment", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("line", pa.int32()),
    ]
)


def parts(segment: str, footer: Footer, matches: Sequence[ArchivedMatch]) -> dict[str, bytes]:
    """Return the files of the catalogue for a segment, by name."""
    months: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for match, (_, _, frame, line) in zip(matches, footer.records, strict=True):
        offset, length = footer.frames[frame]
        place = {"segment": segment, "offset": offset, "length": length, "line": line}
        months[_month(match)].append({**_row(match), **place})
    stem = PurePosixPath(segment).name.removesuffix(".ndjson.zst")
    return {f"catalogue/month={month}/{stem}.parquet": _file(rows) for month, rows in months.items()}


def fault(stored: bytes, expected: bytes) -> str | None:
    """Return what is wrong with a stored file. Its bytes may differ, and an earlier release may have written fewer
    columns."""
    try:
        found = pq.read_table(pa.BufferReader(stored))
        wanted = pq.read_table(pa.BufferReader(expected), columns=found.schema.names)
    except (pa.ArrowException, OSError) as error:
        return f"it can't be read: {error}"
    return None if found.equals(wanted) else "its rows are not those of the segment"


def _month(match: ArchivedMatch) -> str:
    return datetime.fromtimestamp((match.record.progress.ended or 0) / 1000, UTC).strftime("%Y-%m")


def _row(match: ArchivedMatch) -> dict[str, Any]:
    record = match.record._replace(log="").to_json()  # parsing the moves takes most of the time
    return {
        **{name: record.get(name) for name in SCHEMA.names},
        "number": match.number,
        "started": record["started"] and ms_of(record["started"]),
        "ended": ms_of(record["ended"]),
        "moves": moves_in(match.record.log),
    }


def _file(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), out, compression="zstd")
    return out.getvalue()
