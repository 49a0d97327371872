"""The types of `clients/go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from client_languages.schema import (
    HEAD,
    Schema,
    alternatives,
    closure,
    comment,
    last_part,
    literals,
    merged,
    null_is_a_value,
    types_of,
)

GO_BY_HAND: Final = frozenset({"Observation", "Options", "Turn"})
"""Types that clients/go/turn.go declares by hand, and unions that Go has no type for."""
INITIALISMS: Final = {"id": "ID", "url": "URL", "uri": "URI", "api": "API"}


def go(schemas: Mapping[str, Schema]) -> str:
    """Return `clients/go/types.go`, as gofmt formats it."""
    names = [name for name in closure(schemas) if name not in GO_BY_HAND]
    lines: list[str] = []
    for name in names:
        schema, type_name = schemas[name], _go_type_name(name)
        lines += ["", *_go_doc(type_name, schema.get("description"))]
        lines += _go_declaration(type_name, schema, schemas)
    body = "\n".join(lines)
    return f'// Code {HEAD[0].lower()}{HEAD[1:]}\n\npackage kozyr\n\nimport "time"\n{body}\n'


def _go_doc(name: str, text: str | None) -> list[str]:
    sentence = " ".join((text or "").split())
    return comment(f"{name}: {sentence}" if sentence else f"{name} is a schema of the API.", "", "// ")


def _go_declaration(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> list[str]:
    if "oneOf" in schema:
        schema = merged([schemas[last_part(option["$ref"])] for option in schema["oneOf"]])
    if "properties" in schema:
        return [f"type {name} struct {{", *_go_fields(name, schema, schemas), "}"]
    if values := literals(schema):
        width = max(len(_go_name(value)) for value in values) + len(name)
        constants = [f'\t{name + _go_name(value):<{width}} {name} = "{value}"' for value in values]
        note = f"// The values of {name} in this release. A later release may add values."
        return [f"type {name} string", "", note, "const (", *constants, ")"]
    return [f"type {name} = {_go_type(schema, schemas)}"]


def _go_fields(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> list[str]:
    required = set(schema.get("required", ()))
    lines: list[str] = []
    for field, value in schema["properties"].items():
        optional = field not in required
        kind = _go_type(value, schemas)
        if optional and not kind.startswith(("*", "[]", "map[", "any")):
            kind = "*" + kind
        if optional and null_is_a_value(value):
            kind = f"*Nullable[{kind.removeprefix('*')}]"
        tag = f'`json:"{field}{",omitempty" if optional else ""}"`'
        doc = comment(value.get("description"), "\t", "// ")
        # gofmt aligns neighbours without a comment between them.
        gap = [""] if lines and not doc else []
        lines += [*gap, *doc, f"\t{_go_name(field)} {kind} {tag}"]
    return lines


def _go_type(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if "$ref" in schema:
        name = last_part(schema["$ref"])
        return "map[string]any" if name == "Options" else _go_type_name(name)
    options, nullable = alternatives(schema)
    if len(options) == 1:
        kind = _go_type(options[0], schemas)
        return f"*{kind}" if nullable and not kind.startswith(("*", "[]", "map[")) else kind
    if options:
        names = [last_part(option["$ref"]) for option in options]
        return "MoveOutcome" if names == ["MoveResult", "RefusedMove"] else "any"
    names, nullable = types_of(schema)
    if len(names) != 1:
        return "any"
    kind = _go_plain(names[0], schema, schemas)
    return f"*{kind}" if nullable and not kind.startswith(("[]", "map[")) else kind


def _go_plain(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if name == "array":
        return "[]" + _go_type(schema["items"], schemas)
    if name == "object":
        more = schema.get("additionalProperties")
        if "properties" in schema:
            kinds = {_go_type(value, schemas) for value in schema["properties"].values()}
            return f"map[string]{kinds.pop()}" if len(kinds) == 1 else "map[string]any"
        return f"map[string]{_go_type(more, schemas) if isinstance(more, dict) else 'any'}"
    if schema.get("format") == "date-time":
        return "time.Time"
    return {"integer": "int", "number": "float64", "boolean": "bool", "string": "string"}[name]


def _go_type_name(schema: str) -> str:
    return schema.removesuffix("Id") + "ID" if schema.endswith("Id") else schema


def _go_name(field: str) -> str:
    return "".join(INITIALISMS.get(part, part[:1].upper() + part[1:]) for part in field.split("_"))
