"""The parameters of a page's address, and its links to further pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from flask import request
from werkzeug.exceptions import BadRequest

from api.cursors import PageCursor
from api.services import services

_KEPT: Final = ("lang", "spoilers")
"""Parameters that a cookie keeps."""
PAGE: Final = 50
"""Rows of a page."""


def at(path: str) -> str:
    """Return a path of this site as browsers see it: below the path prefix."""
    return request.script_root + path


def text(name: str, most: int = 100) -> str | None:
    """Return a parameter without the spaces around it; `None` if it is empty. Raise `BadRequest`."""
    found = request.args.get(name, "").strip()
    if len(found) > most:
        raise BadRequest(f"{name} has more than {most} characters")
    return found or None


def whole(name: str, most: int = 999_999_999) -> int | None:
    """Return a parameter as a whole number from 0; `None` if it is missing. Raise `BadRequest`."""
    found = text(name)
    if found is None:
        return None
    if not found.isascii() or not found.isdigit() or int(found) > most:
        raise BadRequest(f"{name} is not a whole number from 0 to {most}")
    return int(found)


def among(name: str, values: Iterable[str]) -> str | None:
    """Return a parameter that is one of these values; `None` if it is missing. Raise `BadRequest`."""
    found = text(name)
    if found is not None and found not in values:
        raise BadRequest(f"{name} is none of {', '.join(values)}")
    return found


def cursor(name: str, filters: Mapping[str, Any] | None = None) -> PageCursor:
    """Return the cursor of the request for the list `name` with these filters."""
    return services().cursors.of(f"page {name}", {**(filters or {}), "cursor": text("cursor", 1000)})


def following(then: str | None) -> str | None:
    """Return the address of the next page, whose cursor this is; `None` at the end."""
    return None if then is None else changed(cursor=then)


def changed(**parameters: Any) -> str:
    """Return the address of this page with these parameters; `None` removes one."""
    kept = {name: value for name, value in request.args.items() if name not in _KEPT and value}
    query = {name: value for name, value in {**kept, **parameters}.items() if value is not None}
    return request.path + ("?" + urlencode(query) if query else "")
