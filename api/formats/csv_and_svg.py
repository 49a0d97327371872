"""Responses that are not JSON: tables as CSV (RFC 4180), and SVG pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from flask import Response, request

from api.contract.describe import CURSOR, GOES_ON, ResponseSpec
from api.formats.columns import CsvColumn, columns_of
from api.host_and_accept import chosen
from api.schemas.common import Json, ref
from api.wire import CSV, JSON, answer, query_of
from league import spreadsheets

EXCEL: Final = ("1", "true")
SVG: Final = "image/svg+xml"
PICTURE: Final[Mapping[int, ResponseSpec]] = {
    200: ResponseSpec(
        "The picture, with an `ETag`. Pages of any origin may embed it",
        content={SVG: {"type": "string"}},
        headers={
            "ETag": {"description": "Names these bytes", "schema": {"type": "string"}, "required": True}
        },
    ),
    304: ResponseSpec("The picture still has the `ETag` of the request's `If-None-Match`"),
}
"""The responses of an endpoint that draws."""
PICTURES: Final = frozenset(
    {
        "badges.draw_badge",
        "standings.draw_standings",
        "ratings.draw_rating_history",
    }
)
"""The endpoints that draw."""
Columns = Callable[[], Sequence[CsvColumn]]
_KEPT: Final = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"


def table_of(description: str, schema: str) -> ResponseSpec:
    """Return the specification of a response in JSON, or with `Accept: text/csv` or `excel` as a table."""
    content: Mapping[str, Json] = {JSON: ref(schema), CSV: {"type": "string"}}
    headers = {
        **GOES_ON,
        "Content-Disposition": {
            "description": "The name of the file, if it is a table",
            "schema": {"type": "string"},
        },
    }
    return ResponseSpec(f"{description}; by `Accept: text/csv` as a table", content=content, headers=headers)


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
    if not wants_csv():
        return answer(body)
    response = Response(spreadsheets.BOM * wants_excel() + csv_text(rows, columns()), mimetype=CSV)
    if body.get("cursor"):
        response.headers[CURSOR] = body["cursor"]
    return named(response, frozen=body.get("frozen") is not None)


def wants_excel() -> bool:
    """Return whether the client asks for a table for spreadsheets, which read UTF-8 after a byte order mark."""
    return query_of(request.environ).get("excel") in EXCEL


def wants_csv() -> bool:
    """Return whether the client prefers CSV to JSON."""
    return wants_excel() or chosen(JSON, CSV) == CSV


def named(response: Response, *, frozen: bool = False) -> Response:
    """Name the file of a table by its address, such as `ladders-l17-standings-season-2.csv`. The name ends in `-frozen`
    while a freeze withholds results."""
    season = query_of(request.environ).get("season")
    words = [*request.path.split("/")[2:], *(["season", season] if season else [])]
    words += ["frozen"] if frozen else []
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", "-".join(words))
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def csv_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[CsvColumn]) -> str:
    """Return these rows as CSV, after a header line."""
    values = ([column.value(row) for column in columns] for row in rows)
    return spreadsheets.csv_text([[column.name for column in columns], *values])


def picture(svg: str) -> Response:
    """Return a picture.

    Caches may keep it for a minute and then revalidate it by its `ETag`. They may show it for a day while the service
    is unreachable.
    """
    response = Response(svg, headers={"Cache-Control": _KEPT}, mimetype=SVG)
    response.add_etag()
    response.make_conditional(request)
    return response
