"""Sealed cursors of lists.

A client can neither read nor forge a cursor. A cursor works only for the list that returned it, with the same filters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import orjson

from api.problems import Problem
from referee import base64url
from referee.sealing import SealingKey

_NOT_FILTERS: Final = frozenset({"cursor", "limit", "excel"})
_REFUSED: Final = (
    "the cursor belongs to another list or to other filters; omit it to start from the beginning"
)


class Cursors:
    """Seals and opens cursors. `key` is a secret that all processes of the service share."""

    def __init__(self, key: str) -> None:
        self._key = SealingKey(hashlib.sha256(b"kozyr list cursor\0" + key.encode()).digest())

    def of(self, name: str, query: Mapping[str, Any]) -> PageCursor:
        """Return the cursor in the query of the list `name`."""
        filters = {field: value for field, value in query.items() if field not in _NOT_FILTERS}
        binding = orjson.dumps([name, filters], option=orjson.OPT_SORT_KEYS)
        return PageCursor(self._key, binding, query.get("cursor"))


class PageCursor:
    """The cursor of one request to a list."""

    def __init__(self, key: SealingKey, binding: bytes, text: str | None) -> None:
        self._key, self._whose, self._text = key, binding, text

    @property
    def place(self) -> Any:
        """The unsealed position, with lists as tuples, or `None` if the query has no cursor. Raises `Problem` for an
        invalid cursor."""
        if self._text is None:
            return None
        try:
            found = orjson.loads(self._key.open(base64url.decode(self._text), self._whose))
        except ValueError:
            raise Problem("bad_cursor", _REFUSED) from None
        return tuple(found) if isinstance(found, list) else found

    def then(self, place: Any) -> str | None:
        """Return the cursor that continues after this position, a JSON value or a tuple; `None` at the end."""
        if place is None:
            return None
        return base64url.encode(self._key.seal(orjson.dumps(place, default=list), self._whose))
