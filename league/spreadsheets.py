"""Tables for spreadsheets, as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

BOM: Final = "\ufeff"
"""What a spreadsheet needs at the beginning to read UTF-8."""
_FORMULA: Final = re.compile(r"(^|;)(?=[=+\-@\t\r])")
"""Where a formula begins. With Russian settings and others, spreadsheets begin a cell after each semicolon."""


def cell(text: str) -> str:
    """Return a text for a cell, with an apostrophe before what a spreadsheet would run as a formula."""
    return _FORMULA.sub(r"\1'", text)


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV. Their texts run in no spreadsheet."""
    out = io.StringIO()
    csv.writer(out).writerows([cell(each) if isinstance(each, str) else each for each in row] for row in rows)
    return out.getvalue()
