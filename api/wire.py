"""Read and write JSON. Ambiguous JSON, which two parsers could read differently, is refused."""

from __future__ import annotations

import json
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NoReturn

import orjson
import werkzeug
from flask import Response, request

from api.host_and_accept import chosen
from api.http.replies import HttpReply
from api.problems import Problem
from engine.quoting import quoted

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment
    from werkzeug.datastructures import MultiDict

_LARGE: Final = 16 * 1024
_SIGNS: Final = (b":", b",", b"{", b"[")
_MOST_SIGNS: Final = 4096
"""Twice as many as a request with `max_moves` moves has."""

CSV: Final = "text/csv"
JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"


def body_and_arrival(environ: WSGIEnvironment, most: int) -> tuple[bytes, float]:
    """Return the request's body, and the `time.monotonic()` at which its last byte was read.

    Raise werkzeug's `RequestEntityTooLarge` for a body of more than `most` bytes, or what the server met in reading.
    """
    arrived: float | None = environ.get("kozyr.arrived")
    if arrived is None:
        received = werkzeug.Request(environ)
        received.max_content_length = most
        return received.get_data(), time.monotonic()
    # Our server has read it within the limits.
    return environ["wsgi.input"].read(), arrived


def read_json() -> Any:
    """Return the request's JSON body. Raise `Problem` for another content type, and for malformed or ambiguous JSON."""
    check_content_type(request.environ)
    return parse(request.get_data())


def query_of(environ: WSGIEnvironment) -> MultiDict[str, str]:
    """Return the parameters of the query."""
    return _query(environ.get("QUERY_STRING", ""))


def known_query(environ: WSGIEnvironment, *names: str) -> MultiDict[str, str]:
    """Return the parameters of the query. Raise `Problem` for one that has none of these names."""
    found = query_of(environ)
    for name in found:
        if name not in names:
            raise Problem(
                "invalid_query", f"there is no parameter {quoted(name)}", errors={name: ["Unknown field."]}
            )
    return found


def check_content_type(environ: WSGIEnvironment) -> None:
    """Raise `Problem` for a content type that is not JSON, and for an encoded body, whose decoded size is unknown."""
    if environ.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        raise Problem(
            "encoded_body",
            "send the body without `Content-Encoding`",
            {"Accept-Encoding": "identity"},
        )
    if environ.get("CONTENT_TYPE") != JSON and werkzeug.Request(environ).mimetype != JSON:
        raise Problem("wrong_content_type", f"send the body as `Content-Type: {JSON}`")


def parse(raw: bytes) -> Any:
    """Return the value of a JSON text.

    Raise `Problem` for malformed or ambiguous JSON, and for too many values. Parsing those would delay all other
    requests.
    """
    if len(raw) > _LARGE and sum(map(raw.count, _SIGNS)) > _MOST_SIGNS:
        raise Problem("bad_json", "the body has too many values")
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Problem("bad_json", f"the body is not JSON: {error}") from None
    try:
        if not _is_plain(raw, value):
            json.loads(raw, object_pairs_hook=_distinct)
    except (RecursionError, ValueError):
        raise Problem(
            "bad_json", "the body is nested too deeply, or has a number that is too large"
        ) from None
    return value


def is_whole(value: Any) -> bool:
    """Return whether a JSON value is a whole number: `17` or `17.0`, but not `true` or `"17"`."""
    return type(value) is int or (type(value) is float and value.is_integer())


def answer(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response."""
    return Response(orjson.dumps(data), status, headers, mimetype=JSON)


def reply(data: Any) -> HttpReply:
    """Return a JSON response as a value."""
    return HttpReply(orjson.dumps(data), JSON)


def line(data: Any) -> bytes:
    """Return a line of NDJSON."""
    return orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)


def wants_lines() -> bool:
    """Return whether the client prefers NDJSON to JSON."""
    return chosen(JSON, NDJSON) == NDJSON


@lru_cache(maxsize=64)
def _query(text: str) -> MultiDict[str, str]:
    return werkzeug.Request({"QUERY_STRING": text}).args


def _is_plain(raw: bytes, value: Any) -> bool:
    """Return whether a JSON text with this value surely has no name twice in one object."""
    try:
        # A colon follows each name. Without escapes, those inside texts are the same before and after.
        return b"\\" not in raw and raw.count(b":") == orjson.dumps(value).count(b":")
    except TypeError:  # nested too deeply
        return False


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        _refuse_duplicate([name for name, _ in pairs])
    return value


def _refuse_duplicate(names: list[str]) -> NoReturn:
    seen: set[str] = set()
    twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    raise Problem("bad_json", f"the name {quoted(twice)} occurs twice in one object")
