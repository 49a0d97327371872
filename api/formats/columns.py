"""Columns of a CSV table, derived from the schema of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from api.schemas.common import Json

_NUMBERS: Final = frozenset({int, float})


class CsvColumn(NamedTuple):
    """A column: its name in the header, and the path to its value in a row."""

    name: str
    path: tuple[str, ...]

    def value(self, row: Mapping[str, Any]) -> Any:
        """Return the cell of a row, empty if the row has no value."""
        found: Any = row
        for name in self.path:
            if found is None:
                break
            found = found.get(name)
        if found is None:
            return ""
        return found if type(found) in _NUMBERS else _text(found)


def columns_of(schema: Json, components: Mapping[str, Json]) -> Sequence[CsvColumn]:
    """Return the columns of rows with this schema.

    An object with known fields has a column per field (`rating_low`). A list, or an object with arbitrary fields, has
    one column (`_text`).
    """
    return tuple(CsvColumn("_".join(path), path) for path in _paths(schema, components, ()))


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


def _text(value: Any) -> str:
    """Return a value as text: a list as `a; b`, options as `teams=true; seats=4`, a bot or a seat as `owner/bot`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value))
    if isinstance(value, dict):
        if "bot" in value:
            return _text(value["bot"])
        return "; ".join(f"{name}={_text(each)}" for name, each in value.items())
    return "" if value is None else str(value)
