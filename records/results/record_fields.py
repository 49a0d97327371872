"""The fields of a record document that every count of matches reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from records.match.record import FORMAT
from records.match.session import Ending
from records.match.snapshot import VOID

Record = Mapping[str, Any]
"""A record document with its annotations."""


class SkippedRecords:
    """Counts the records that a command reads and does not count, by the reason."""

    def __init__(self, *, casual: bool = True) -> None:
        """With `casual` the command counts matches that were not played to be rated."""
        self._casual = casual
        self.counts: Counter[str] = Counter()
        """Records by reason: `unknown_format`, `aborted`, `continued`, `person`, `void`, `casual`."""
        self.read = 0

    def has_unknown_format(self, record: Record) -> bool:
        """Count a record that was read. Return whether this release does not know its format."""
        self.read += 1
        number = record.get("format", FORMAT)
        unknown = type(number) is not int or number != FORMAT
        self.counts.update(["unknown_format"] * unknown)
        return unknown

    def add(self, record: Record) -> bool:
        """Return whether a record of the known format does not count, and note why. Raise `KeyError` or `ValueError`
        for a document that is no record."""
        reason = self._reason(record)
        if reason is not None:
            self.counts[reason] += 1
        return reason is not None

    def summary(self) -> dict[str, Any]:
        """Return how many records were read, how many of them count, and how many do not by reason."""
        counted = self.read - self.counts.total()
        return {"records": self.read, "counted": counted, "skipped": dict(sorted(self.counts.items()))}

    def report(self) -> str | None:
        """Return a sentence about the skipped records, or `None` if there were none."""
        if not self.counts:
            return None
        parts = [f"{count} {_REASONS[reason]}" for reason, count in sorted(self.counts.items())]
        records = "1 record" if self.read == 1 else f"{self.read} records"
        return f"skipped {self.counts.total()} of {records}: {', '.join(parts)}"

    def _reason(self, record: Record) -> str | None:
        if reason := _why_not(record):
            return reason
        return None if self._casual or record.get("rated") else "casual"


_REASONS: Final = {
    "aborted": "aborted, such as matches that never started",
    "casual": "not rated (--casual counts them)",
    "continued": "continued from another match",
    "person": "with a person at the table",
    "unknown_format": f"of an unknown format (this release reads format {FORMAT})",
    "void": "void",
}


def happened(record: Record) -> bool:
    """Return whether the match counts: it ended properly, no annotation voids it, no person played in it, and it began
    with its first deal.

    Raise `KeyError` or `ValueError` for a document that is no record.
    """
    return _why_not(record) is None


def _why_not(record: Record) -> str | None:
    """Return why a match does not count, or `None` if it does."""
    ending = Ending(record["ending"])
    if ending is Ending.ABORTED:
        return "aborted"
    if "continues" in record:
        return "continued"
    if has_person(record):
        return "person"
    is_void = any(annotation["kind"] == VOID for annotation in record.get("annotations", ()))
    return "void" if is_void or ending is Ending.VOID else None


def has_person(record: Record) -> bool:
    """Return whether a person has a seat. Raise `KeyError` for a document that is no record."""
    return any(seat is not None and seat.get("person") for seat in record["seats"])


def group_of(record: Record) -> str:
    """Return the id of the match's group, or its own id outside groups."""
    return str(record["group"] or record["id"])


def dealt(record: Record) -> int:
    """Return the number of deals that were dealt; a forfeit may end a match before its last deal."""
    return [move["seat"] for move in record["moves"]].count(None)
