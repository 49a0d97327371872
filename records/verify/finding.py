"""An error that verification finds."""

from __future__ import annotations

import json
from typing import NamedTuple


class Finding(NamedTuple):
    """One error in a record."""

    where: str
    """The path in the document, as in `moves[17].ms`; empty for the document itself."""
    wrong: str
    """What is wrong there."""
    right: str
    """What would be right."""

    def __str__(self) -> str:
        return f"{self.where or 'the record'}: {self.wrong}; expected {self.right}"


def shown(value: object) -> str:
    """Return a JSON value for use in a sentence, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 100 else text[:97] + "…"
