"""The types of `clients/java`."""

from __future__ import annotations

import html
from collections.abc import Mapping, Set
from typing import Any, Final

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
"""Types that clients/java declares by hand, and unions that are sent as any object."""
RENAMED: Final = {"void": "isVoid", "wait": "waitS"}
"""Fields that no record may have: keywords, and final methods of Object."""
BOXES: Final = {"int": "Integer", "double": "Double", "boolean": "Boolean"}
FRAME: Final = f"""\
// {HEAD}

package kozyr;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The types of the contract. A later release may add fields, and values of strings. */
public final class Types {{
    private Types() {{}}
"""


def java(schemas: Mapping[str, Schema]) -> str:
    """Return `Types.java` of `clients/java`: a record for each schema."""
    requests, schemas = sent(schemas), with_outcome(schemas)
    lines: list[str] = []
    for name in closure(schemas):
        if name not in BY_HAND:
            lines += ["", *_declaration(name, schemas[name], schemas, name in requests)]
    return FRAME + "\n".join(f"    {line}" if line else "" for line in lines) + "\n}\n"


def _declaration(name: str, schema: Schema, schemas: Mapping[str, Schema], is_sent: bool) -> list[str]:
    about = _text(schema.get("description") or f"The schema {name} of the API.")
    if "oneOf" in schema:
        schema = merged([schemas[last_part(option["$ref"])] for option in schema["oneOf"]])
    if values := literals(schema):
        return [*_doc(about, {}), *_strings(name, values)]
    required = set(schema.get("required", ()))
    fields = {
        _name(field): _type(value, schemas, boxed=field not in required)
        for field, value in schema["properties"].items()
    }
    docs = {
        _name(field): _text(value.get("description") or f"see {field}")
        for field, value in schema["properties"].items()
    }
    nullable = {
        _name(field)
        for field, value in schema["properties"].items()
        if field not in required and null_is_a_value(value)
    }
    lines = [*_doc(about, docs), f"public record {name}("]
    for wire, (field, kind) in zip(schema["properties"], fields.items(), strict=True):
        lines += [f"        {_annotation(wire)}{'JsonNode' if field in nullable else kind} {field},"]
    lines[-1] = lines[-1].rstrip(",") + ") {"
    if not is_sent or not fields:
        return [*lines[:-1], lines[-1] + "}"]
    needed = [_name(field) for field in schema["properties"] if field in required]
    return [*lines, *_builders(name, fields, needed, nullable), "}"]


def _strings(name: str, values: list[Any]) -> list[str]:
    return [
        f"public record {name}(@JsonValue String value) {{",
        *[f'    public static final {name} {value.upper()} = new {name}("{value}");' for value in values],
        "",
        "    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)",
        f"    public {name} {{}}",
        "",
        "    @Override",
        "    public String toString() {",
        "        return value;",
        "    }",
        "}",
    ]


def _builders(name: str, fields: Mapping[str, str], needed: list[str], nullable: Set[str]) -> list[str]:
    parameters = ", ".join(f"{fields[field]} {field}" for field in needed)
    empty = ", ".join(field if field in needed else "null" for field in fields)
    same = ", ".join(fields)
    lines = [
        "    /** Returns one with the required fields. */",
        f"    public static {name} of({parameters}) {{",
        f"        return new {name}({empty});",
        "    }",
    ]
    for field, kind in fields.items():
        if field in needed:
            continue
        setter = f"public {name} with{field[0].upper()}{field[1:]}"
        if field in nullable:
            lines += [
                "",
                f"    /** Returns a copy with this {field}, where null is a value of its own. */",
                f"    {setter}({kind} value) {{",
                f"        JsonNode {field} = Http.JSON.valueToTree(value);",
            ]
        else:
            lines += ["", f"    /** Returns a copy with this {field}. */", f"    {setter}({kind} {field}) {{"]
        lines += [f"        return new {name}({same});", "    }"]
    return lines


def _doc(about: str, fields: Mapping[str, str]) -> list[str]:
    lines = comment(about, "", " * ")
    for field, text in fields.items():
        first, *rest = comment(f"@param {field} {text}", "", " * ")
        lines += [first, *[line.replace(" * ", " *     ", 1) for line in rest]]
    return ["/**", *lines, " */"]


def _text(text: str) -> str:
    return html.escape(text, quote=False).replace("@", "&#64;").replace("*/", "*&#47;")


def _type(schema: Schema, schemas: Mapping[str, Schema], *, boxed: bool = False) -> str:
    if "$ref" in schema:
        name = last_part(schema["$ref"])
        return "Object" if name == "Options" else name
    options, nullable = alternatives(schema)
    if options:
        return _type(options[0], schemas, boxed=nullable or boxed) if len(options) == 1 else "Object"
    names, nullable = types_of(schema)
    kind = _plain(names[0], schema, schemas) if len(names) == 1 else "Object"
    return BOXES.get(kind, kind) if nullable or boxed else kind


def _plain(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if name == "array":
        return f"List<{'Object' if 'prefixItems' in schema else _type(schema['items'], schemas, boxed=True)}>"
    if name == "object":
        kinds = {_type(value, schemas, boxed=True) for value in schema.get("properties", {}).values()}
        more = schema.get("additionalProperties")
        kind = _type(more, schemas, boxed=True) if isinstance(more, dict) else "Object"
        return f"Map<String, {kinds.pop() if len(kinds) == 1 else kind}>"
    if schema.get("format") == "date-time":
        return "Instant"
    return {"integer": "int", "number": "double", "boolean": "boolean", "string": "String"}[name]


def _annotation(field: str) -> str:
    return f'@JsonProperty("{field}") ' if field in RENAMED else ""


def _name(field: str) -> str:
    first, *rest = field.split("_")
    return RENAMED.get(field, first + "".join(part.capitalize() for part in rest))
