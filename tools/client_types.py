"""Write the types of the clients in `clients/` from openapi.yaml: python tools/client_types.py [--check]

Each client holds one generated file of types. The loops are written by hand.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[1]
Schema = dict[str, Any]

ROOTS: Final = (
    "CreatedBot",
    "CreatedOwner",
    "Limits",
    "Match",
    "MoveBatch",
    "MoveResultAndTurns",
    "MoveResults",
    "NewBot",
    "NewMatch",
    "NewOwner",
    "Problem",
    "TurnList",
)
"""The schemas that a bot needs. The files hold these and every schema that they refer to."""
WIDTH: Final = 98
HEAD: Final = "Generated from openapi.yaml by tools/client_types.py. DO NOT EDIT."


def closure(schemas: Mapping[str, Schema]) -> list[str]:
    """Return the names of `ROOTS` and of every schema they refer to, sorted."""
    found: set[str] = set()
    pending = list(ROOTS)
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
    """Return a description as comment lines, wrapped."""
    words = " ".join((text or "").split())
    return textwrap.wrap(words, WIDTH, initial_indent=indent + mark, subsequent_indent=indent + mark)


# --- TypeScript ----------------------------------------------------------------------------------


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
    return " " + text if len(text) < 80 else "\n  | " + text.replace(" | ", "\n  | ")


def _ts_type(schema: Schema) -> str:
    if "$ref" in schema:
        return last_part(schema["$ref"])
    options, nullable = alternatives(schema)
    if options:
        return " | ".join([*map(_ts_type, options), *(["null"] if nullable else [])])
    names, nullable = types_of(schema)
    values = [f'"{value}"' if isinstance(value, str) else str(value) for value in literals(schema)]
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


# --- Go ------------------------------------------------------------------------------------------

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
        schema = _merged([schemas[last_part(option["$ref"])] for option in schema["oneOf"]])
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
        tag = f'`json:"{field}{",omitempty" if optional else ""}"`'
        doc = comment(value.get("description"), "\t", "// ")
        lines += [*([""] if lines else []), *doc, f"\t{_go_name(field)} {kind} {tag}"]
    return lines


def _merged(options: list[Schema]) -> Schema:
    """Return one object schema with the fields of all; a field is required if all require it."""
    fields: dict[str, Any] = {}
    for option in options:
        for field, value in option["properties"].items():
            fields.setdefault(field, value)
    required = set.intersection(*(set(option.get("required", ())) for option in options))
    return {"properties": fields, "required": sorted(required)}


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


# --- the files -----------------------------------------------------------------------------------

FILES: Final[Mapping[str, Callable[[Mapping[str, Schema]], str]]] = {
    "clients/typescript/src/types.ts": typescript,
    "clients/go/types.go": go,
}


def main() -> int:
    """Write the files, or with --check name those that are out of date. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
    check = parser.parse_args().check
    schemas = yaml.safe_load((ROOT / "openapi.yaml").read_text())["components"]["schemas"]
    outdated = []
    for name, write in FILES.items():
        path, text = ROOT / name, write(schemas)
        if not path.exists() or path.read_text() != text:
            outdated.append(name)
            if not check:
                path.write_text(text)
                print(f"wrote {name}")
    if check and outdated:
        print(f"out of date, run python tools/client_types.py: {', '.join(outdated)}", file=sys.stderr)
    return int(check and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
