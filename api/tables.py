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
PICTURE: Final = Answer("The picture", content={SVG: {"type": "string"}})

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
    """A picture, which may be kept for a minute."""
    return Response(svg, headers={"Cache-Control": "public, max-age=60"}, mimetype=SVG)


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
