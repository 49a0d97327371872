"""Answers that are no JSON: tables as CSV (RFC 4180), and pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from flask import Response

from api.accept import chosen
from api.columns import Column, columns_of
from api.describe import CURSOR, GOES_ON, Answer
from api.schemas.common import Json, ref
from api.spec import COMPONENTS
from api.wire import JSON, answer

CSV: Final = "text/csv"
SVG: Final = "image/svg+xml"
PICTURE: Final = Answer("The picture", content={SVG: {"type": "string"}})


def table_of(description: str, schema: str) -> Answer:
    """An answer that is JSON, or by `Accept: text/csv` the rows of its list."""
    content: Mapping[str, Json] = {JSON: ref(schema), CSV: {"type": "string"}}
    return Answer(f"{description}; by `Accept: text/csv` as a table", content=content, headers=GOES_ON)


def columns(rows: Json) -> Sequence[Column]:
    """The columns of rows with this schema (`api.columns`)."""
    return columns_of(rows, COMPONENTS)


def table(body: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> Response:
    """The body in JSON or, if the client prefers it, its rows as CSV, under a header that is always there. A page is
    the same page in both; as CSV its `cursor` is a header."""
    if chosen(JSON, CSV) != CSV:
        return answer(body)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(column.name for column in columns)
    writer.writerows([column.value(row) for column in columns] for row in rows)
    headers = {CURSOR: body["cursor"]} if body.get("cursor") else {}
    return Response(out.getvalue(), headers=headers, mimetype=CSV)


def picture(svg: str) -> Response:
    """A picture, which may be kept for a minute."""
    return Response(svg, headers={"Cache-Control": "public, max-age=60"}, mimetype=SVG)
