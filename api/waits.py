"""The `wait` of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.contract.describe import query
from api.problems import Problem
from api.schemas.common import Json, number_of
from api.wire import known_query

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def parameter() -> Json:
    """Return the `wait` parameter for the document. `api.contract.spec` adds the limit of the service."""
    return query(
        "wait",
        "Seconds to wait for news, at most `max_wait_s` of `GET /v1/limits`",
        {"type": "number", "minimum": 0, "maximum": 0, "default": 0},
    )


def of_query(environ: WSGIEnvironment, most: float, *others: str) -> float:
    """Return the `wait` of the query in seconds, by default 0; `most` is the longest.

    Raise `Problem` for a wait out of range, and for a parameter other than `wait` and `others`.
    """
    if not environ.get("QUERY_STRING"):
        return 0.0
    text = known_query(environ, "wait", *others).get("wait")
    return 0.0 if text is None else bounded(number_of(text), most, "invalid_query")


def bounded(wait: Any, most: float, code: str = "invalid_body") -> float:
    """Return a wait in seconds. Raise `Problem` with this code if it is not from 0 to `most`."""
    if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait <= most:
        expected = f"a number of seconds from 0 to {most:g}"
        raise Problem(
            code,
            f"`wait` must be {expected}",
            errors={"wait": [f"Must be {expected}."]},
            expected=expected,
        )
    return float(wait)


def is_abandoned(environ: WSGIEnvironment) -> bool:
    """Return whether the client had disconnected before the request was handled. Such a request does not wait."""
    return "kozyr.gone" in environ
