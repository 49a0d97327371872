"""Read the `facts` of a move. `api.schemas.turns` describes them in the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from api.wire import is_whole
from records.match.facts import MOST_COUNT, MOST_THOUGHTS, USAGE, MoveFacts
from records.words.reading import MENDINGS

_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but tabs and line ends, and marks that change the direction of a text."""


def facts_of(data: Any) -> MoveFacts:
    """Return the facts in a JSON value. Raise `ValueError`, which says what is wrong."""
    if not isinstance(data, dict):
        raise ValueError("Must be an object.")
    return MoveFacts(**dict(_checked(data)))


def _checked(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if name in USAGE:
            if not is_whole(value) or not 0 <= value <= MOST_COUNT:
                raise ValueError(f"{name} must be a whole number from 0 to {MOST_COUNT}.")
            yield name, int(value)
        elif name == "thoughts":
            if not isinstance(value, str) or len(value.encode()) > MOST_THOUGHTS:
                raise ValueError(f"thoughts must be a text of at most {MOST_THOUGHTS} bytes.")
            yield name, _STEERING.sub("\N{REPLACEMENT CHARACTER}", value)
        elif name == "mended":
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise ValueError("mended must be a list of texts.")
            if len(value) > len(MENDINGS) or not set(value) <= MENDINGS.keys():
                raise ValueError(f"mended may have {', '.join(MENDINGS)}.")
            yield name, tuple(dict.fromkeys(value))
        else:
            raise ValueError(f"{name[:64]} is an unknown field.")
