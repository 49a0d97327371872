"""What the generators of all languages share: the schemas that clients need, and questions about them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Schema = dict[str, Any]

ROOTS: Final = (
    "JoinQueue",
    "Limits",
    "Match",
    "MoveBatch",
    "MoveResultAndTurns",
    "MoveResults",
    "NewMatch",
    "Problem",
    "QueueEntry",
    "TurnList",
)
"""The schemas that a bot needs. The files hold these and every schema that they refer to."""
WIDTH: Final = 98
HEAD: Final = "Generated from openapi.yaml by tools/client_types.py. DO NOT EDIT."


def closure(schemas: Mapping[str, Schema], roots: Sequence[str] = ROOTS) -> list[str]:
    """Return these names and those of every schema they refer to, sorted."""
    found: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += references(schemas[name])
    return sorted(found)


def references(node: Any) -> Iterator[str]:
    """Yield the schema names that a schema refers to."""
    if isinstance(node, dict):
        if "$ref" in node:
            yield last_part(node["$ref"])
        for key, value in node.items():
            if key != "discriminator":
                yield from references(value)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)


def last_part(reference: str) -> str:
    """Return the schema name of a `$ref`."""
    return reference.rpartition("/")[2]


def types_of(schema: Schema) -> tuple[list[str], bool]:
    """Return the JSON types of a schema without null, and whether null is allowed."""
    declared = schema.get("type", [])
    names = [declared] if isinstance(declared, str) else list(declared)
    return [name for name in names if name != "null"], "null" in names


def null_is_a_value(schema: Schema) -> bool:
    """Return whether null in this optional field means something else than leaving the field out: it has a default.

    The contract states the defaults of requests in the descriptions of their fields.
    """
    return types_of(schema)[1] and "Default: `" in schema.get("description", "")


def alternatives(schema: Schema) -> tuple[list[Schema], bool]:
    """Return the alternatives of a `oneOf` without null, and whether null is one of them."""
    options = schema.get("oneOf") or schema.get("anyOf") or []
    rest = [option for option in options if option.get("type") != "null"]
    return rest, len(rest) < len(options)


def literals(schema: Schema) -> list[Any]:
    """Return the values of an enum or constant, without null."""
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return [value for value in values if value is not None]


def comment(text: str | None, indent: str, mark: str) -> list[str]:
    """Return a description as comment lines, wrapped: its first sentence, unless all of it fits in one line."""
    words = " ".join((text or "").split())
    if len(indent + mark + words) > WIDTH:
        words = words.partition(". ")[0]
    return textwrap.wrap(words, WIDTH, initial_indent=indent + mark, subsequent_indent=indent + mark)


def merged(options: list[Schema]) -> Schema:
    """Return one object schema with the fields of all; a field is required if all require it."""
    fields: dict[str, Any] = {}
    for option in options:
        for field, value in option["properties"].items():
            fields.setdefault(field, value)
    required = set.intersection(*(set(option.get("required", ())) for option in options))
    return {"properties": fields, "required": sorted(required)}
