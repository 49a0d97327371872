"""Tables for spreadsheets, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

BOM: Final = "\ufeff"
"""What a spreadsheet needs at the beginning to read UTF-8."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def cell(text: str) -> str:
    """Return a text for a cell; one that a spreadsheet would run as a formula is quoted."""
    return "'" + text if text.startswith(_FORMULA) else text


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV. Their texts run in no spreadsheet."""
    out = io.StringIO()
    csv.writer(out).writerows([cell(each) if isinstance(each, str) else each for each in row] for row in rows)
    return out.getvalue()
