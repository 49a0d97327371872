"""Answers that are no JSON: tables as CSV (RFC 4180), and pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, Final

from flask import Response, request

from api.describe import CURSOR, GOES_ON, Answer
from api.schemas.common import Json, ref
from api.wire import JSON, answer

CSV: Final = "text/csv"
SVG: Final = "image/svg+xml"
PICTURE: Final[Mapping[int, Answer]] = {
    200: Answer(
        "The picture, with an `ETag`. Pages of any origin may embed it",
        content={SVG: {"type": "string"}},
        headers={
            "ETag": {"description": "Names these bytes", "schema": {"type": "string"}, "required": True}
        },
    ),
    304: Answer("The picture still has the `ETag` of the request's `If-None-Match`"),
}
"""The answers of a route that draws."""
PICTURES: Final = frozenset(
    {"standings.draw_standings", "standings.draw_cross_table", "ratings.draw_rating_history"}
)
"""The endpoints that draw."""
_KEPT: Final = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"

_NUMBERS: Final = frozenset({int, float})
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def table_of(description: str, schema: str) -> Answer:
    """An answer that is JSON, or by `Accept: text/csv` the rows of its list."""
    content: Mapping[str, Json] = {JSON: ref(schema), CSV: {"type": "string"}}
    return Answer(f"{description}; by `Accept: text/csv` as a table", content=content, headers=GOES_ON)


def table(body: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Response:
    """The body in JSON or, if the client would rather have it, its rows as CSV. What is an object in a row gives
    columns of its own, `rating_low` and so on. A page is the same page in both; as CSV its `cursor` is a header."""
    if request.accept_mimetypes.best_match([JSON, CSV], default=JSON) != CSV:
        return answer(body)
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([row.get(name, "") for name in columns] for row in flat)
    headers = {CURSOR: body["cursor"]} if body.get("cursor") else {}
    return Response(out.getvalue(), headers=headers, mimetype=CSV)


def picture(svg: str) -> Response:
    """A picture. Caches and image proxies may keep it for a minute, then revalidate it by its `ETag`; while the
    service is away they may go on showing the last one for a day."""
    response = Response(svg, headers={"Cache-Control": _KEPT}, mimetype=SVG)
    response.add_etag()
    response.make_conditional(request)
    return response


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        if type(value) in _NUMBERS:
            found[before + name] = value
        elif type(value) is dict:
            found.update(_flat(value, f"{before}{name}_"))
        elif value is not None:
            found[before + name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value
