"""Close the schemas of the OpenAPI document, so that a test finds a response field that the document lacks.

The published response schemas permit unknown fields, because later releases may add some (docs/compatibility.md).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml


def from_yaml(text: str | bytes) -> Any:
    """Parse YAML with libyaml, which takes a tenth of the time that `yaml.safe_load` takes."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def published() -> Any:
    """Return the OpenAPI document in the repository. Callers must not change it."""
    return from_yaml((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """Return the schema with `additionalProperties: false` on every object that lists properties and doesn't say more.

    Lists and whole documents work too. Values that are no schemas, such as examples, stay as they are unless they
    have a `properties` object.
    """
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(each) for name, each in schema.items() if name != "properties"}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return inner
    named = {name: closed(each) for name, each in properties.items()}
    return {"additionalProperties": False, **inner, "properties": named}
