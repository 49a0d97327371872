"""Files of records, a line each, as `GET /v1/records` streams them: nothing written is lost, and one can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

Record = Mapping[str, Any]

_FIELDS: Final = frozenset({"id", "preset", "deals", "seats", "scores", "group", "ending", "ended", "moves"})
"""Without these a document is not taken for a record."""


class BadRecordFile(ValueError):
    """A file that can't be written to or gone on with. The text says why, and what would be right."""


class RecordFile:
    """A file of records that is added to. Each record is in the file when `write` returns."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """With `resume` what the file has already stays, but for a last line that was broken off; else there may be
        nothing. Raises `BadRecordFile`."""
        self.path = path
        try:
            if resume and path.exists():
                _mend(path)
            elif path.exists() and path.stat().st_size:
                raise BadRecordFile(
                    f"{path} has something in it: add --resume to go on with it, or name another file"
                )
            self._file = path.open("ab")
        except OSError as why:
            raise BadRecordFile(f"{path} can't be written to: {why}") from why

    def records(self) -> Iterator[Record]:
        """What is in the file, one after another. Raises `BadRecordFile` for a line that is no record."""
        with self.path.open("rb") as lines:
            yield from read(lines, str(self.path))

    def write(self, record: Record) -> None:
        """One more record."""
        self._file.write(_line(record))
        self._file.flush()

    def amend(self, records: Mapping[str, Record]) -> int:
        """Put these, by their ids, in the place of what the file has of them: all at once, or none if this is broken
        off. Returns how many were others. Raises `BadRecordFile`."""
        others = {known["id"] for known in self.records() if records.get(known["id"], known) != known}
        if others:
            where = self.path.resolve()
            beside = where.with_name(f"{where.name}.amended")
            try:
                with beside.open("wb") as file:
                    for known in self.records():
                        file.write(_line(records[known["id"]] if known["id"] in others else known))
                    file.flush()
                    os.fsync(file.fileno())
                beside.replace(where)
                self._file.close()
                self._file = where.open("ab")
            except OSError as why:
                raise BadRecordFile(f"{self.path} can't be written to: {why}") from why
            finally:
                beside.unlink(missing_ok=True)
        return len(others)

    def close(self) -> None:
        """Nothing more is written."""
        self._file.close()


def _line(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def read(
    lines: Iterable[bytes], name: str, skip: Callable[[Record], bool] = lambda _: False
) -> Iterator[Record]:
    """Yield the records of these lines, without those to `skip`. Raise `BadRecordFile`, with the file's `name`, for a
    line that is no record."""
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            missing = _FIELDS - record.keys()
            if skip(record):
                continue
        except (ValueError, AttributeError) as why:
            raise BadRecordFile(f"line {number} of {name} is no record: {why}") from None
        if missing:
            raise BadRecordFile(
                f"line {number} of {name} is no record: it has no {', no '.join(sorted(missing))}"
            )
        yield record


def _mend(path: Path) -> None:
    """Cuts away a last line that has no end."""
    with path.open("r+b") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
        file.truncate(whole)
