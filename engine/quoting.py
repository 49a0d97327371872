"""How a message quotes a value."""

from __future__ import annotations

import json
from typing import Final

_MOST: Final = 200
"""Characters of a quoted value; a message does not repeat a whole body."""


def quoted(value: object) -> str:
    """The value as JSON (`true`, `null`, `"all"`), since most who read the message sent it as JSON. A long one is cut
    and ends in `…`; what JSON has no form for is quoted as its text."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST else text[:_MOST] + "…"
