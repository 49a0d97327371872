"""The file that a tournament's records go into, a line each, as `GET /v1/records` streams them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

_KEPT: Final = ("id", "group", "preset", "deals", "seats", "scores", "forfeits", "ending", "ended")
"""The fields that are needed to go on."""

Record = Mapping[str, Any]


class BadBook(ValueError):
    """A file that can't be written to or gone on from. The text says why, and what would be right."""


class Book:
    """A file of records that is added to. Each record is in the file when `write` returns."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """With `resume` what the file has already is kept, else there may be nothing. Raises `BadBook`."""
        self.path = path
        self.kept: dict[str, Record] = {}
        """By match id, what the file had already, without moves and shuffles."""
        try:
            if resume and path.exists():
                self._keep()
            elif path.exists() and path.stat().st_size:
                raise BadBook(
                    f"{path} has something in it: add --resume to go on from it, or name another file"
                )
            self._file = path.open("ab")
        except OSError as why:
            raise BadBook(f"{path} can't be written to: {why}") from why

    def write(self, record: Record) -> None:
        """One more record."""
        self._file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Nothing more is written."""
        self._file.close()

    def _keep(self) -> None:
        """Reads the file; a line that was broken off at its end is cut away, and its match played again."""
        whole = 0
        for number, line in enumerate(_lines(self.path), 1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            try:
                record = json.loads(line)
                self.kept[record["id"]] = {field: record[field] for field in _KEPT}
            except (ValueError, KeyError, TypeError) as why:
                raise BadBook(f"line {number} of {self.path} is no record ({why!r})") from None
        with self.path.open("r+b") as file:
            file.truncate(whole)


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file
