"""The types of `clients/cpp`."""

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
    references,
    sent,
    types_of,
    with_outcome,
)

BY_HAND: Final = frozenset({"Observation", "Options"})
"""Types that clients/cpp/include/kozyr/json.hpp declares by hand, and unions that are sent as any JSON."""
KEYWORDS: Final = frozenset({"private", "public", "void"})
FRAME: Final = f"""\
// {HEAD}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kozyr/json.hpp"

/// The types of the contract. A later release may add fields, and values of strings.
namespace kozyr::types {{
"""


def cpp(schemas: Mapping[str, Schema]) -> str:
    """Return `clients/cpp/include/kozyr/types.hpp`."""
    requests, schemas = sent(schemas), with_outcome(schemas)
    lines: list[str] = []
    for name in _ordered(schemas):
        lines += [
            "",
            *comment(schemas[name].get("description") or f"The schema {name} of the API.", "", "/// "),
        ]
        lines += _declaration(name, schemas[name], schemas, name in requests)
    return FRAME + "\n".join(lines) + "\n\n}  // namespace kozyr::types\n"


def _ordered(schemas: Mapping[str, Schema]) -> list[str]:
    """Return the names so that each follows those it refers to."""
    done: list[str] = []

    def visit(name: str) -> None:
        if name in done or name in BY_HAND:
            return
        for other in references(schemas[name]):
            visit(other)
        done.append(name)

    for name in closure(schemas):
        visit(name)
    return done


def _declaration(name: str, schema: Schema, schemas: Mapping[str, Schema], is_sent: bool) -> list[str]:
    if "oneOf" in schema:
        schema = merged([schemas[last_part(option["$ref"])] for option in schema["oneOf"]])
    if values := literals(schema):
        constants = [f'inline constexpr std::string_view {_name(value)} = "{value}";' for value in values]
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
        return [
            f"using {name} = std::string;",
            f"namespace {snake} {{",
            *constants,
            f"}}  // namespace {snake}",
        ]
    lines = [f"struct {name} {{"]
    for field, value in schema["properties"].items():
        kind, optional = _type(value, schemas), field not in schema.get("required", ())
        if optional and null_is_a_value(value):
            kind = f"std::optional<Nullable<{kind.removeprefix('std::optional<')}>"
        elif optional and not kind.startswith("std::optional"):
            kind = f"std::optional<{kind}>"
        lines += [*comment(value.get("description"), "    ", "/// "), f"    {kind} {_name(field)}{{}};"]
    lines += ["};", *_function(name, schema, "decode", "const nlohmann::json& from", f"{name}& to")]
    if is_sent:
        lines += _function(name, schema, "encode", "nlohmann::json& to", f"const {name}& from")
    return lines


def _function(name: str, schema: Schema, verb: str, first: str, second: str) -> list[str]:
    fields = schema["properties"]
    if not fields:
        first, second = (
            f"{part.rpartition(' ')[0]} /*{part.rpartition(' ')[2]}*/" for part in (first, second)
        )
    call = "from_json" if verb == "decode" else "to_json"
    source = "to" if verb == "decode" else "from"
    return [
        f"inline void {call}({first}, {second}) {{",
        *[
            f'    detail::{verb}_field({"from" if verb == "decode" else "to"}, "{f}", {source}.{_name(f)});'
            for f in fields
        ],
        "}",
    ]


def _type(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if "$ref" in schema:
        name = last_part(schema["$ref"])
        return "nlohmann::json" if name == "Options" else name
    options, nullable = alternatives(schema)
    if options:
        kind = _type(options[0], schemas) if len(options) == 1 else "nlohmann::json"
        return f"std::optional<{kind}>" if nullable else kind
    names, nullable = types_of(schema)
    kind = _plain(names[0], schema, schemas) if len(names) == 1 else "nlohmann::json"
    return f"std::optional<{kind}>" if nullable else kind


def _plain(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if name == "array" and "prefixItems" in schema:
        return f"std::tuple<{', '.join(_type(item, schemas) for item in schema['prefixItems'])}>"
    if name == "array":
        return f"std::vector<{_type(schema['items'], schemas)}>"
    if name == "object":
        kinds = {_type(value, schemas) for value in schema.get("properties", {}).values()}
        more = schema.get("additionalProperties")
        kind = _type(more, schemas) if isinstance(more, dict) else "nlohmann::json"
        return f"std::map<std::string, {kinds.pop() if len(kinds) == 1 else kind}>"
    if schema.get("format") == "date-time":
        return "Timestamp"
    return {"integer": "std::int64_t", "number": "double", "boolean": "bool", "string": "std::string"}[name]


def _name(field: str) -> str:
    return f"{field}_" if field in KEYWORDS else field
