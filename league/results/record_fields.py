"""The fields of a record document that every count of matches reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.match.record import FORMAT
from referee.match.session import Ending
from referee.match.snapshot import VOID

Record = Mapping[str, Any]
"""A record document with its annotations."""


class UnknownFormats:
    """Counts records whose `format` this release does not know. Readers skip such records."""

    def __init__(self) -> None:
        self.count = 0

    def includes(self, record: Record) -> bool:
        """Return whether the record has an unknown format, and count it if so."""
        number = record.get("format", FORMAT)
        unknown = type(number) is not int or number != FORMAT
        self.count += unknown
        return unknown

    def report(self) -> str | None:
        """Return a sentence about the skipped records, or `None` if there were none."""
        if not self.count:
            return None
        records = "1 record" if self.count == 1 else f"{self.count} records"
        return f"skipped {records} of an unknown format; this release reads format {FORMAT}"


def happened(record: Record) -> bool:
    """Return whether the match counts: it ended properly, no annotation voids it, no person played in it, and it began
    with its first deal.

    Raise `KeyError` or `ValueError` for a document that is no record.
    """
    if Ending(record["ending"]) in (Ending.ABORTED, Ending.VOID):
        return False
    if "continues" in record or any(seat is not None and seat.get("person") for seat in record["seats"]):
        return False
    return all(annotation["kind"] != VOID for annotation in record.get("annotations", ()))


def group_of(record: Record) -> str:
    """Return the id of the match's group, or its own id outside groups."""
    return str(record["group"] or record["id"])


def dealt(record: Record) -> int:
    """Return the number of deals that were dealt; a forfeit may end a match before its last deal."""
    return sum(move["seat"] is None for move in record["moves"])
