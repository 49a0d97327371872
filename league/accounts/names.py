"""Reserved names, and texts without visible characters."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

RESERVED: Final = frozenset(
    {
        "admin",
        "administrator",
        "anonymous",
        "house",
        "kozyr",
        "moderator",
        "official",
        "operator",
        "root",
        "security",
        "server",
        "service",
        "staff",
        "support",
        "system",
    }
)
"""Words that suggest the service or its operators. The contract and docs/protocol.md list them."""

PERSON: Final = "person"
"""The name of a person's seat, as in `example/person`. No bot can have it."""
GUEST: Final = "anonymous"
"""The owner's name on the seats of people who have not signed in. It is reserved."""

_LIKE: Final = str.maketrans(
    {
        "0": "o",
        "1": "i",
        "l": "i",
        "2": "z",
        "3": "e",
        "4": "a",
        "5": "s",
        "6": "b",
        "7": "t",
        "8": "b",
        "9": "g",
    }
)
_NUMBERS: Final = re.compile(r"^\d+-+|-+\d+$")
_INVISIBLE: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols without ink: the Hangul fillers and the empty braille cell."""


def is_reserved(name: str) -> bool:
    """Return whether a name is a reserved word or resembles one: with digits for letters (`h0use`), with hyphens
    (`house-`), or with a number before or after it (`house0`)."""
    readings = (name, name.strip("0123456789-"), _NUMBERS.sub("", name))
    return any(_skeleton(each) in _SKELETONS for each in readings)


def is_blank(text: str) -> bool:
    """Return whether a text has no visible character."""
    return all(unicodedata.category(each)[0] in "CMZ" or each in _INVISIBLE for each in text)


def _skeleton(name: str) -> str:
    """Return a form that names of similar appearance share."""
    return name.replace("-", "").translate(_LIKE).replace("rn", "m").replace("vv", "w")


_SKELETONS: Final = frozenset(map(_skeleton, RESERVED))
