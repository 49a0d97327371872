"""The fields of forms that were sent."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from flask import request
from werkzeug.exceptions import BadRequest

from engine.quoting import quoted
from league.errors import BadValue
from league.operators.audit import MOST_REASON
from records.ids import is_match_id
from records.match.clock import PACES, ClockRule
from referee.errors import NoSuchMatch

E = TypeVar("E", bound=StrEnum)


def field(name: str, most: int = 1000) -> str:
    """Return a field without the spaces around it, empty if it is missing. Raise `BadRequest`."""
    found = request.form.get(name, "").strip().replace("\r\n", "\n")
    if len(found) > most:
        raise BadRequest(f"{name} has more than {most} characters")
    return found


def number(name: str, least: int, most: int, default: int | None = None) -> int:
    """Return a field as a whole number; the default if it is empty. Raise `BadRequest`."""
    found = field(name, 12)
    if not found and default is not None:
        return default
    if not found.isascii() or not found.isdigit() or not least <= int(found) <= most:
        raise BadRequest(f"{name} is not a whole number from {least} to {most}")
    return int(found)


def member(name: str, kind: type[E]) -> E:
    """Return a field that is a member of an enumeration. Raise `BadValue`."""
    found = field(name, 64)
    if found not in list(kind):
        raise BadValue(name, found, "one of " + ", ".join(kind))
    return kind(found)


def pace() -> ClockRule | None:
    """Return the clock that a form chooses by name, `None` if it chooses none. Raise `BadRequest`."""
    name = field("pace", 64)
    if name and name not in PACES:
        raise BadRequest(f"pace is not one of {', '.join(PACES)}")
    return PACES[name].clock if name else None


def match_named() -> str:
    """Return the match that a field names by its id or its address. Raise `NoSuchMatch`."""
    match = field("match", 500).rstrip("/").rpartition("/")[2]
    if not is_match_id(match):
        raise NoSuchMatch(f"there is no match {quoted(match)}")
    return match


def reason() -> str:
    """Return why somebody intervenes. Raise `BadValue` without a reason."""
    found = field("reason", MOST_REASON)
    if not found:
        raise BadValue("reason", found, "a reason, which those concerned will see")
    return found


def ticked(name: str) -> bool:
    """Return whether a checkbox is ticked."""
    return name in request.form


def own_address(text: str | None) -> str | None:
    """Return an address to go on to if it is a page of this site, else `None`."""
    if (
        not text
        or len(text) > 500
        or not text.startswith("/")
        or text.startswith("//")
        or not text.isprintable()
    ):
        return None
    return None if "\\" in text else text
