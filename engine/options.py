"""Validation of seats and options against their JSON Schemas. No invalid value becomes a default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game import BadTable, Options


def checked_seats(counts: tuple[int, ...], seats: object) -> int:
    """Return the number of seats. Raise `BadTable` if it is not one of `counts`."""
    if isinstance(seats, bool) or not isinstance(seats, int) or seats not in counts:
        several = "one of " if len(counts) > 1 else ""
        raise BadTable("seats", seats, several + ", ".join(map(str, counts)))
    return seats


def checked_options(schemas: Mapping[str, Mapping[str, Any]], options: Options) -> dict[str, Any]:
    """Return the given options and the constant defaults of the others, in the order of `schemas`.

    Raise `BadTable` for an invalid one. Supported types are booleans, strings with an `enum`, and integers from
    `minimum` to `maximum`. The game checks everything else, and sets the defaults that depend on the table.
    """
    for name, value in options.items():
        if name not in schemas:
            raise BadTable(name, value, "one of the options " + ", ".join(schemas), unknown=True)
        if not _fits(schemas[name], value):
            raise BadTable(name, value, _in_words(schemas[name]))
    return {
        name: options[name] if name in options else schema["default"]
        for name, schema in schemas.items()
        if name in options or "default" in schema
    }


def _fits(schema: Mapping[str, Any], value: object) -> bool:
    if schema["type"] == "boolean":
        return isinstance(value, bool)
    if schema["type"] == "integer":
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and schema["minimum"] <= value <= schema["maximum"]
    return isinstance(value, str) and value in schema.get("enum", [value])


def _in_words(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "boolean":
        return "true or false"
    if schema["type"] == "integer":
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    return " or ".join(schema["enum"]) if "enum" in schema else "a text"
