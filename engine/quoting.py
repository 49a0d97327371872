"""Quoting of refused values in messages."""

from __future__ import annotations

import json
from typing import Final

_MOST: Final = 200
"""The longest quotation in characters, so that a message never repeats a whole request body."""


def quoted(value: object) -> str:
    """Return the value as JSON (`true`, `null`, `"all"`), the form in which most callers sent it.

    A long value is cut and ends in `…`. A value without a JSON form is quoted as `str(value)`.
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST else text[:_MOST] + "…"
