"""What is read in the document of a record (design page, The record) wherever matches are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.match.session import Ending
from referee.match.snapshot import VOID

Record = Mapping[str, Any]
"""A record's document, with what stands beside it."""


def happened(record: Record) -> bool:
    """Whether the match counts, by its ending and by what was said of it since. Raises `KeyError` and `ValueError` for
    no record."""
    if Ending(record["ending"]) in (Ending.ABORTED, Ending.VOID):
        return False
    return all(annotation["kind"] != VOID for annotation in record.get("annotations", ()))


def group_of(record: Record) -> str:
    """The id of its group: its own where it belongs to none."""
    return str(record["group"] or record["id"])


def dealt(record: Record) -> int:
    """How many deals of the match were dealt; a forfeit may have ended it before the last."""
    return sum(move["seat"] is None for move in record["moves"])
