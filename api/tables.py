"""Responses as tables: CSV (RFC 4180), whose columns derive from the schema of the rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from flask import Response, request

from api.contract.describe import CURSOR, GOES_ON, ResponseSpec, header, ref_to
from api.host_and_accept import chosen
from api.schemas.common import Json
from api.schemas.responses import Listed, ResponseSchema
from api.wire import CSV, JSON, answer, query_of
from league import spreadsheets

EXCEL: Final = ("1", "true")
Columns = Callable[[], Sequence["CsvColumn"]]
_NUMBERS: Final = frozenset({int, float})


def table_of(description: str, schema: type[ResponseSchema] | str) -> ResponseSpec:
    """Return the specification of a response in JSON, or with `Accept: text/csv` or `excel` as a table.

    The rows are the objects of the schema's list, without optional members, or the only one if it has no list.
    With the name of a component, the handler calls `table` itself.
    """
    content: Mapping[str, Json] = {JSON: ref_to(schema), CSV: {"type": "string"}}
    headers = {
        **GOES_ON,
        "Content-Disposition": header("The name of the file, if it is a table"),
    }
    described = f"{description}; by `Accept: text/csv` as a table"
    send = None if isinstance(schema, str) else _sender(schema)
    return ResponseSpec(described, schema, content=content, headers=headers, send=send)


def _sender(schema: type[ResponseSchema]) -> Callable[[Json], Response]:
    listed = {name: each for name, each in schema._declared_fields.items() if isinstance(each, Listed)}
    name, rows = next(((name, each.nested) for name, each in listed.items()), (None, schema))
    component = rows.component()
    derived = columns({"properties": {each: component["properties"][each] for each in component["required"]}})

    def send(body: Json) -> Response:
        return table(body, [body] if name is None else body[name], derived)

    return send


def columns(rows: Json) -> Columns:
    """Return what derives the columns of rows with this schema when the first table is sent."""

    @cache
    def derived() -> Sequence[CsvColumn]:
        from api.contract.spec import component_schemas  # large, and few need it

        return columns_of(rows, component_schemas())

    return derived


def table(body: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], columns: Columns) -> Response:
    """Return the body as JSON, or its rows as CSV if the client prefers that.

    The CSV always has a header line. Its cursor is in a response header.
    """
    # Spreadsheets read UTF-8 after a byte order mark.
    is_for_excel = query_of(request.environ).get("excel") in EXCEL
    if not is_for_excel and chosen(JSON, CSV) != CSV:
        return answer(body)
    response = Response(spreadsheets.BOM * is_for_excel + csv_text(rows, columns()), mimetype=CSV)
    if body.get("cursor"):
        response.headers[CURSOR] = body["cursor"]
    name = _file_name(frozen=body.get("frozen") is not None)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _file_name(*, frozen: bool) -> str:
    """Return the name of a table's file by its address, such as `ladders-l17-standings-season-2`. It ends in `-frozen`
    while a freeze withholds results."""
    season = query_of(request.environ).get("season")
    words = [*request.path.split("/")[2:], *(["season", season] if season else [])]
    words += ["frozen"] if frozen else []
    return re.sub(r"[^A-Za-z0-9._-]+", "_", "-".join(words))


def csv_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[CsvColumn]) -> str:
    """Return these rows as CSV, after a header line."""
    values = ([column.value(row) for column in columns] for row in rows)
    return spreadsheets.csv_text([[column.name for column in columns], *values])


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
