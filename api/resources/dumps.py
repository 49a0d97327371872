"""Monthly dumps of all records, and their files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from flask import Response, request

from api.blueprint import Blueprint
from api.caching import ETAG, UNCHANGED, revalidated
from api.contract.describe import ResponseSpec, header
from api.problems import Problem
from api.schemas.common import Json
from api.schemas.dumps import DumpListSchema
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from engine.quoting import quoted
from referee.dumps.store import DumpFile, FileKind

blueprint = Blueprint("dumps", __name__, description="Monthly dumps: all records, as data sets.")

IMMUTABLE: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {
    FileKind.RECORDS: "application/zstd",
    FileKind.MATCHES: "application/vnd.apache.parquet",
    FileKind.DECISIONS: "application/vnd.apache.parquet",
    FileKind.ENDINGS: "application/x-ndjson",
    FileKind.CARD: "text/markdown",
    FileKind.SUMS: "text/plain",
}
_TEXTS: Final = (FileKind.CARD, FileKind.SUMS)
_BYTES: Final[Json] = {"type": "string", "format": "binary"}
_FILE: Final = dict.fromkeys(dict.fromkeys(_TYPES.values()), _BYTES)
_RANGES: Final[dict[str, Json]] = {
    **ETAG,
    "Accept-Ranges": header(
        "`Range` may ask for a part", {"type": "string", "const": "bytes"}, required=True
    ),
}
_PART: Final[dict[str, Json]] = {
    **_RANGES,
    "Content-Range": header("Which bytes these are, and the size of the file", required=True),
}
_RANGE: Final[Json] = {
    "name": "Range",
    "in": "header",
    "description": "One range of bytes, as in `bytes=0-1023`. Malformed or several ranges get the whole file",
    "schema": {"type": "string"},
}


@blueprint.serve(
    "GET /v1/dumps", ResponseSpec("The dumps, the last month first", "DumpList", headers=ETAG), UNCHANGED
)
def list_dumps() -> object:
    """List the monthly dumps.

    A dump has all records that became public in a month, and tables of its matches and of all decisions with what the
    seat saw, in Parquet. It is written after the month, when its matches are archived, and never changes. All dumps are
    in the public domain (CC0-1.0).
    """
    return revalidated(
        answer(dump(DumpListSchema, {"license": "CC0-1.0", "dumps": services().dumps.dumps()}))
    )


@blueprint.serve(
    "GET /v1/dumps/<month>/<file>",
    ResponseSpec("The file", content=_FILE, headers=_RANGES),
    ResponseSpec("A part of the file", content=_FILE, headers=_PART, status=206),
    UNCHANGED,
    problems=["range_not_satisfiable"],
    parameters=[_RANGE],
)
def get_dump_file(month: str, file: str) -> object:
    """Download a file of a dump.

    The file never changes. Its `ETag` is its SHA-256 digest. `README.md` describes the others, and `sha256sum -c
    SHA256SUMS` checks them.
    """
    found = services().dumps.file(month, file)
    if found is None:
        raise Problem("not_found", f"no dump of {quoted(month)} has a file {quoted(file)}")
    if request.if_none_match.contains_weak(found.sha256):
        return _with_headers(Response(status=304), found)
    wanted = _range(found)
    start, stop = wanted or (0, found.size)
    response = Response(
        _body(found, start, stop), 206 if wanted else 200, mimetype=_TYPES[FileKind(found.kind)]
    )
    response.content_length = stop - start
    if wanted:
        response.headers["Content-Range"] = f"bytes {start}-{stop - 1}/{found.size}"
    return _with_headers(response, found)


def _body(file: DumpFile, start: int, stop: int) -> bytes | Iterator[bytes]:
    """Return a part of a file: a text at once, because it may be compressed, anything else in chunks."""
    if request.method == "HEAD" and file.kind not in _TEXTS:
        return iter(())
    chunks = services().dumps.chunks(file, start, stop)
    if file.kind in _TEXTS:
        return b"".join(chunks)
    return chain([next(chunks)], chunks)  # an archive that is away refuses the request, and cuts no response


def _range(file: DumpFile) -> tuple[int, int] | None:
    """Return the range that the request asks for, from its first byte to before its end; `None` for the whole file.

    Only GET has ranges (RFC 9110, 14.2). Malformed and several ranges are ignored, as a server may. Raise a problem for
    a range without a byte of the file.
    """
    wanted = request.range
    if request.method != "GET" or wanted is None or wanted.units != "bytes" or len(wanted.ranges) > 1:
        return None
    condition = request.headers.get("If-Range")
    if condition is not None and condition != f'"{file.sha256}"':
        return None
    ((first, end),) = wanted.ranges
    start = max(0, file.size + first) if first < 0 else first
    stop = file.size if end is None else min(end, file.size)
    if start >= stop:
        raise Problem(
            "range_not_satisfiable",
            f"the file has {file.size} bytes",
            {"Content-Range": f"bytes */{file.size}"},
        )
    return start, stop


def _with_headers(response: Response, file: DumpFile) -> Response:
    response.set_etag(file.sha256)
    response.headers["Cache-Control"] = IMMUTABLE
    # What is sent in chunks keeps its length, which tells a download how far it is.
    response.cache_control.no_transform = file.kind not in _TEXTS
    response.headers["Accept-Ranges"] = "bytes"
    return response
