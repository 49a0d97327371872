"""JSON in and out. Bodies are read strictly: what two parsers could read differently is refused."""

from __future__ import annotations

import json
import time
from typing import Any, Final, NoReturn

import orjson
from flask import Response, request

from api.accept import chosen
from api.problems import Problem
from engine.quoting import quoted

_LARGE: Final = 16 * 1024
_SIGNS: Final = (b":", b",", b"{", b"[")
_MOST_SIGNS: Final = 4096
"""A request with `max_moves` moves has half as many."""

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"


def body_and_arrival() -> tuple[bytes, float]:
    """The request's body, and when its last byte was read, by `time.monotonic()`."""
    environ = request.environ
    arrived: float | None = environ.get("kozyr.arrived")
    if arrived is None:
        return request.get_data(), time.monotonic()
    # Our server has read it, and kept to the limits.
    return environ["wsgi.input"].read(), arrived


def read_json() -> Any:
    """The request's body. Raises `Problem` for a content type that is not JSON, and for text that is no JSON, is not
    UTF-8, or has a name twice in an object."""
    check_content_type()
    return parse(request.get_data())


def check_content_type() -> None:
    """Raises `Problem` for a content type that is not JSON, and for a body that is encoded: how large it is when it is
    unpacked would be known too late."""
    if request.environ.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        raise Problem(
            "encoded_body",
            "the body is to be sent as it is, without Content-Encoding",
            {"Accept-Encoding": "identity"},
        )
    if request.environ.get("CONTENT_TYPE") != JSON and request.mimetype != JSON:
        raise Problem("wrong_content_type", f"the body is to be sent as `Content-Type: {JSON}`")


def parse(raw: bytes) -> Any:
    """The value of a JSON text. Raises `Problem`; also for one of more values than any request has, which would
    take long to read, and hold up everybody."""
    if len(raw) > _LARGE and sum(map(raw.count, _SIGNS)) > _MOST_SIGNS:
        raise Problem("bad_json", "the body holds more values than any request of this service")
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Problem("bad_json", f"the body is no JSON: {error}") from None
    try:
        # Each name is followed by a colon, so as many colons as names means that none came twice.
        colons = raw.count(b":")
        if colons and colons != _names(value):
            json.loads(raw, object_pairs_hook=_distinct)
    except (RecursionError, ValueError):
        raise Problem(
            "bad_json", "the body is nested too deeply, or holds a number beyond all bounds"
        ) from None
    return value


def answer(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(orjson.dumps(data), status, headers, mimetype=JSON)


def line(data: Any) -> bytes:
    """A line of NDJSON."""
    return orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)


def wants_lines() -> bool:
    """Whether the client would rather have NDJSON than JSON."""
    return chosen(JSON, NDJSON) == NDJSON


def _names(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_names, value.values()))
    if isinstance(value, list):
        return sum(map(_names, value))
    return 0


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _doubled([name for name, _ in pairs])
    return found


def _doubled(names: list[str]) -> NoReturn:
    seen: set[str] = set()
    twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    raise Problem("bad_json", f"the name {quoted(twice)} comes twice in one object")
