"""The columns of a table, from the schema of its rows: the same for every answer of a route."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from api.schemas.common import Json

_NUMBERS: Final = frozenset({int, float})
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class Column(NamedTuple):
    """A column: its name in the header, and where a row has its value."""

    name: str
    path: tuple[str, ...]

    def value(self, row: Mapping[str, Any]) -> Any:
        """What the cell says; empty where the row has nothing there."""
        found: Any = row
        for name in self.path:
            if found is None:
                break
            found = found.get(name)
        if found is None:
            return ""
        return found if type(found) in _NUMBERS else _plain(found)


def columns_of(schema: Json, components: Mapping[str, Json]) -> Sequence[Column]:
    """The columns of rows with this schema. An object with known fields has a column for each of them, `rating_low`
    and so on; a list, or an object with fields of any names, has one column, as JSON."""
    return tuple(Column("_".join(path), path) for path in _paths(schema, components, ()))


def _paths(
    schema: Json, components: Mapping[str, Json], before: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    for each in schema.get("oneOf", ()):
        if each != {"type": "null"}:
            schema = each
    if "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    if "properties" not in schema:
        yield before
        return
    for name, inner in schema["properties"].items():
        yield from _paths(inner, components, (*before, name))


def _plain(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | dict):
        return orjson.dumps(value).decode()
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value
