"""The types of `clients/typescript`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping

from client_languages.schema import (
    HEAD,
    WIDTH,
    Schema,
    alternatives,
    closure,
    comment,
    last_part,
    literals,
    types_of,
)


def typescript(schemas: Mapping[str, Schema]) -> str:
    """Return `clients/typescript/src/types.ts`."""
    lines = [f"// {HEAD}", ""]
    for name in closure(schemas):
        lines += [*_ts_doc(schemas[name].get("description"), ""), *_ts_declaration(name, schemas[name]), ""]
    return "\n".join(lines)


def _ts_doc(text: str | None, indent: str) -> list[str]:
    lines = comment(text, indent, " * ")
    if len(lines) == 1 and len(lines[0]) < WIDTH - 3:
        return [f"{indent}/** {lines[0].strip()[2:]} */"]
    return [f"{indent}/**", *lines, f"{indent} */"] if lines else []


def _ts_declaration(name: str, schema: Schema) -> list[str]:
    if not schema.get("properties", True):
        return [f"export type {name} = Record<string, never>;"]
    if "properties" not in schema:
        return [f"export type {name} ={_ts_union(schema)};"]
    required = set(schema.get("required", ()))
    lines = [f"export interface {name} {{"]
    for field, value in schema["properties"].items():
        mark = "" if field in required else "?"
        lines += [*_ts_doc(value.get("description"), "  "), f"  {field}{mark}: {_ts_type(value)};"]
    return [*lines, "}"]


def _ts_union(schema: Schema) -> str:
    text = _ts_type(schema)
    return " " + text if len(text) < 80 else "\n" + textwrap.indent(textwrap.fill(text, WIDTH - 4), "    ")


def _ts_type(schema: Schema) -> str:
    if "$ref" in schema:
        return last_part(schema["$ref"])
    options, nullable = alternatives(schema)
    if options:
        return " | ".join([*map(_ts_type, options), *(["null"] if nullable else [])])
    names, nullable = types_of(schema)
    values = [json.dumps(value, ensure_ascii=False) for value in literals(schema)]
    if values and "const" not in schema and names == ["string"]:
        values.append("(string & {})")  # A later release may add values.
    parts = values or [_ts_plain(name, schema) for name in names] or ["unknown"]
    return " | ".join([*parts, *(["null"] if nullable else [])])


def _ts_plain(name: str, schema: Schema) -> str:
    if name == "array" and "prefixItems" in schema:
        return f"[{', '.join(map(_ts_type, schema['prefixItems']))}]"
    if name == "array":
        item = _ts_type(schema["items"])
        return f"({item})[]" if " " in item else f"{item}[]"
    if name == "object":
        if "properties" in schema:
            fields = (f"{key}?: {_ts_type(value)}" for key, value in schema["properties"].items())
            return "{ " + "; ".join(fields) + " }"
        more = schema.get("additionalProperties")
        return f"Record<string, {_ts_type(more) if isinstance(more, dict) else 'unknown'}>"
    return {"integer": "number", "number": "number", "boolean": "boolean", "string": "string"}[name]
