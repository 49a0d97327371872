"""Record files: one record per line, as `GET /v1/records` streams them. An interrupted file can be continued."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
import orjson

Record = Mapping[str, Any]

_FIELDS: Final = frozenset({"id", "preset", "deals", "seats", "scores", "group", "ending", "ended", "moves"})
"""The fields that every record has."""


class BadRecordFile(click.ClickException):
    """A file can't be read, written or continued, or has a malformed record. The text says why and what to do."""


class RecordFile:
    """A file that records are appended to. When `write` returns, the record is in the file."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """With `resume`, keep the records of the file and cut off an incomplete last line. Otherwise the file must be
        empty or absent. Raise `BadRecordFile`."""
        self.path = path
        try:
            if resume and path.exists():
                _mend(path)
            elif path.exists() and path.stat().st_size:
                raise BadRecordFile(f"{path} is not empty: add --resume to continue it, or name another file")
            self._file = path.open("ab")
        except OSError as why:
            raise self._unwritable(why) from why

    def records(self) -> Iterator[Record]:
        """Yield the records of the file. Raise `BadRecordFile` for a line that is not a record."""
        with self.path.open("rb") as lines:
            yield from read(lines, str(self.path))

    def write(self, record: Record) -> None:
        """Append a record. Raise `BadRecordFile`; the file then has all records before and perhaps a part of this one,
        which `resume` cuts off."""
        try:
            self._file.write(file_line(record))
            self._file.flush()
        except OSError as why:
            raise self._unwritable(why) from why

    def amend(self, records: Mapping[str, Record]) -> int:
        """Replace records of the file by these, found by match id, all or none. Return how many differed. Raise
        `BadRecordFile`."""
        others = {known["id"] for known in self.records() if records.get(known["id"], known) != known}
        if others:
            where = self.path.resolve()
            beside = where.with_name(f"{where.name}.amended")
            try:
                with beside.open("wb") as file:
                    for known in self.records():
                        file.write(file_line(records[known["id"]] if known["id"] in others else known))
                    file.flush()
                    os.fsync(file.fileno())
                beside.replace(where)
                self._file.close()
                self._file = where.open("ab")
            except OSError as why:
                raise self._unwritable(why) from why
            finally:
                beside.unlink(missing_ok=True)
        return len(others)

    def close(self) -> None:
        """Close the file. Raise `BadRecordFile` if it lacks a part of a record whose `write` has failed."""
        try:
            self._file.close()
        except OSError as why:
            raise self._unwritable(why) from why

    def _unwritable(self, why: OSError) -> BadRecordFile:
        return BadRecordFile(f"{self.path} can't be written to: {why.strerror or why}")


def file_line(record: Record) -> bytes:
    """Return a record, or another document, as a line of a file."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def read(
    lines: Iterable[bytes],
    name: str,
    skip: Callable[[Record], bool] = lambda _: False,
    needed: Collection[str] = _FIELDS,
) -> Iterator[Record]:
    """Yield the records of these lines, without empty ones and those to `skip`. Raise `BadRecordFile` with `name` for a
    line that is not a record, or lacks a `needed` field."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            missing = set(needed) - record.keys()
            if skip(record):
                continue
        except (ValueError, AttributeError, RecursionError) as why:
            raise BadRecordFile(f"line {number} of {name} is not a record: {why}") from None
        if missing:
            raise BadRecordFile(
                f"line {number} of {name} is not a record: it lacks {', '.join(sorted(missing))}"
            )
        yield record


@contextmanager
def record_errors(where: str, error: type[click.ClickException] = BadRecordFile) -> Iterator[None]:
    """Turn what the handling of a malformed record raises into an `error` whose text begins with `where`."""
    try:
        yield
    except error:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as why:
        reason = f"{why} is missing or unknown" if isinstance(why, KeyError) else why
        raise error(f"{where}: {reason}") from why


def check_fields(record: Record) -> None:
    """Raise `ValueError` or `KeyError` if the id, preset, seats, scores or moves of a record are malformed. A seat that
    nobody took is `None`. Ratings need no moves."""
    seats, scores, moves = record["seats"], record["scores"], record.get("moves", [])
    if not isinstance(seats, list) or not all(seat is None or isinstance(seat, dict) for seat in seats):
        raise ValueError("seats: a list of bots is expected")
    if not isinstance(scores, list) or [type(score) for score in scores] != [int] * len(seats):
        raise ValueError("scores: a whole number for each seat is expected")
    if not isinstance(moves, list) or not all(isinstance(move, dict) for move in moves):
        raise ValueError("moves: a list of objects is expected")
    texts = [record["id"], record["preset"]]
    texts += [text for seat in seats if seat is not None for text in (seat["bot"], seat.get("id", ""))]
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"{text!r} can't be an id, a preset or the name of a bot")
        text.encode()  # refuses a lone surrogate, which can't be printed


def _mend(path: Path) -> None:
    """Cut off an incomplete last line."""
    with path.open("r+b") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
        file.truncate(whole)
