"""The types of `clients/rust`."""

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
    sent,
    types_of,
    with_outcome,
)

BY_HAND: Final = frozenset({"Observation", "Options", "Turn"})
"""Types that clients/rust/src/turn.rs declares by hand, and unions that are sent as any JSON."""
KEYWORDS: Final = {"match": "match_id", "move": "chosen_move", "type": "kind"}
USES: Final = """\
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::turn::{Observation, Turn};
"""
NULLABLE: Final = """\

/// Reads a field in which null is a value, `Some(None)`.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
"""


def rust(schemas: Mapping[str, Schema]) -> str:
    """Return `clients/rust/src/types.rs`, as rustfmt formats it."""
    requests, schemas = sent(schemas), with_outcome(schemas)
    lines: list[str] = []
    for name in closure(schemas):
        if name not in BY_HAND:
            lines += ["", *_doc(schemas[name].get("description") or f"The schema `{name}` of the API.", "")]
            lines += _declaration(name, schemas[name], schemas, name in requests)
    return f"// {HEAD}\n\n{USES}" + "\n".join(lines) + "\n" + NULLABLE


def _doc(text: str | None, indent: str) -> list[str]:
    return comment(text, indent, "/// ")


def _declaration(name: str, schema: Schema, schemas: Mapping[str, Schema], is_sent: bool) -> list[str]:
    if "oneOf" in schema:
        schema = merged([schemas[last_part(option["$ref"])] for option in schema["oneOf"]])
    if values := literals(schema):
        return [
            "#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]",
            '#[serde(rename_all = "snake_case")]',
            "#[non_exhaustive]",
            f"pub enum {name} {{",
            *[f"    {_pascal(value)}," for value in values],
            "    /// A value of a later release.",
            "    #[serde(untagged)]",
            "    Other(String),",
            "}",
        ]
    fields = {
        field: (_type(value, schemas), field in schema.get("required", ()), value.get("description"))
        for field, value in schema["properties"].items()
    }
    nullable = {field for field, value in schema["properties"].items() if null_is_a_value(value)}
    derives = ["Clone", "Debug", *(["Default"] if not any(need for _, need, _ in fields.values()) else [])]
    lines = [f"#[derive({', '.join([*derives, 'Deserialize', 'Serialize'])})]"]
    lines += [] if is_sent else ["#[non_exhaustive]"]
    if not fields:
        return [*lines, f"pub struct {name} {{}}"]
    lines += [f"pub struct {name} {{"]
    for field, (kind, required, doc) in fields.items():
        lines += _doc(doc, "    ")
        attributes = [f'rename = "{field}"'] if field in KEYWORDS else []
        if not required:
            kind = kind if kind.startswith("Option<") else f"Option<{kind}>"
            attributes += ['skip_serializing_if = "Option::is_none"']
        if not required and field in nullable:
            kind = f"Option<{kind}>"
            attributes += ["default", 'deserialize_with = "nullable"']
        lines += [f"    #[serde({', '.join(attributes)})]"] if attributes else []
        lines += [f"    pub {KEYWORDS.get(field, field)}: {kind},"]
    lines += ["}"]
    if is_sent and any(need for _, need, _ in fields.values()):
        lines += ["", *_constructor(name, fields)]
    return lines


def _constructor(name: str, fields: Mapping[str, tuple[str, bool, str | None]]) -> list[str]:
    named = {KEYWORDS.get(field, field): (kind, need) for field, (kind, need, _) in fields.items()}
    parameters = ", ".join(f"{field}: {kind}" for field, (kind, need) in named.items() if need)
    if len(named) == 1:
        body = [f"        Self {{ {next(iter(named))} }}"]
    else:
        body = [f"            {field}{'' if need else ': None'}," for field, (_, need) in named.items()]
        body = ["        Self {", *body, "        }"]
    return [
        f"impl {name} {{",
        "    /// Returns one with the required fields.",
        f"    pub fn new({parameters}) -> Self {{",
        *body,
        "    }",
        "}",
    ]


def _type(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if "$ref" in schema:
        name = last_part(schema["$ref"])
        return "serde_json::Value" if name == "Options" else name
    options, nullable = alternatives(schema)
    if options:
        kind = _type(options[0], schemas) if len(options) == 1 else "serde_json::Value"
        return f"Option<{kind}>" if nullable else kind
    names, nullable = types_of(schema)
    kind = _plain(names[0], schema, schemas) if len(names) == 1 else "serde_json::Value"
    return f"Option<{kind}>" if nullable else kind


def _plain(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if name == "array" and "prefixItems" in schema:
        return f"({', '.join(_type(item, schemas) for item in schema['prefixItems'])})"
    if name == "array":
        return f"Vec<{_type(schema['items'], schemas)}>"
    if name == "object":
        kinds = {_type(value, schemas) for value in schema.get("properties", {}).values()}
        more = schema.get("additionalProperties")
        kind = _type(more, schemas) if isinstance(more, dict) else "serde_json::Value"
        return f"BTreeMap<String, {kinds.pop() if len(kinds) == 1 else kind}>"
    if schema.get("format") == "date-time":
        return "jiff::Timestamp"
    if name == "integer":
        return "u64" if schema.get("minimum", -1) >= 0 else "i64"
    return {"number": "f64", "boolean": "bool", "string": "String"}[name]


def _pascal(value: str) -> str:
    return "".join(part.capitalize() for part in value.split("_"))
