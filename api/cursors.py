"""Cursors of lists, sealed: a client can neither make one up nor read one, and each is good for the list that gave
it alone, with the same filters."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any, Final

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.problems import Problem
from referee import base64url

_NONCE: Final = 12
_NOT_FILTERS: Final = frozenset({"cursor", "limit"})
_REFUSED: Final = "this cursor was not given by this list, or with other filters; leave it out to begin anew"


class Cursors:
    """See the module. `key` is any secret of the service, the same in all of its processes."""

    def __init__(self, key: str) -> None:
        self._box = AESGCM(hashlib.sha256(b"kozyr list cursor\0" + key.encode()).digest())

    def of(self, name: str, query: Mapping[str, Any]) -> PageCursor:
        """The cursor in the query of this list."""
        filters = {field: value for field, value in query.items() if field not in _NOT_FILTERS}
        whose = orjson.dumps([name, filters], option=orjson.OPT_SORT_KEYS)
        return PageCursor(self._box, whose, query.get("cursor"))


class PageCursor:
    """Where a list went on, and how to tell where it goes on from here."""

    def __init__(self, box: AESGCM, whose: bytes, text: str | None) -> None:
        self._box, self._whose, self._text = box, whose, text

    @property
    def place(self) -> str | None:
        """What was sealed, `None` where the query has no cursor. Raises `Problem`."""
        if self._text is None:
            return None
        try:
            raw = base64url.decode(self._text)
            return self._box.decrypt(raw[:_NONCE], raw[_NONCE:], self._whose).decode()
        except (ValueError, InvalidTag):
            raise Problem("bad_cursor", _REFUSED) from None

    def then(self, place: str | None) -> str | None:
        """The cursor that goes on after this place, `None` for none."""
        if place is None:
            return None
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._box.encrypt(nonce, place.encode(), self._whose)
        return base64url.encode(sealed)
