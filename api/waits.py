"""The `wait` of a request."""

from __future__ import annotations

from typing import Any, NoReturn

from flask import request

from api.contract.describe import query
from api.problems import Problem
from api.schemas.common import Json, number_of
from api.services import services
from engine.quoting import quoted


def parameter() -> Json:
    """Return the `wait` parameter for the document. `api.contract.spec` adds the limit of the service."""
    return query(
        "wait",
        "Seconds to wait for news, at most `max_wait_s` of `GET /v1/limits`",
        {"type": "number", "minimum": 0, "maximum": 0, "default": 0},
    )


def of_query(*others: str) -> float:
    """Return the `wait` of the query, by default 0.

    Raise `Problem` for a wait out of range, and for a parameter other than `wait` and `others`.
    """
    if not request.environ.get("QUERY_STRING"):
        return 0.0
    arguments = request.args
    for name in arguments:
        if name != "wait" and name not in others:
            raise Problem(
                "invalid_query", f"there is no parameter {quoted(name)}", errors={name: ["Unknown field."]}
            )
    text = arguments.get("wait")
    if text is None:
        return 0.0
    return bounded(number_of(text), "invalid_query")


def bounded(wait: Any, code: str = "invalid_body") -> float:
    """Return a wait in seconds. Raise `Problem` with this code if it is out of range."""
    if isinstance(wait, bool) or not isinstance(wait, int | float):
        _refuse(code)
    if not 0 <= wait <= services().limits.max_wait_s:
        _refuse(code)
    return 0.0 if is_abandoned() else float(wait)


def is_abandoned() -> bool:
    """Return whether the client had disconnected before the request was handled."""
    return "kozyr.gone" in request.environ


def _refuse(code: str) -> NoReturn:
    expected = f"a number of seconds from 0 to {services().limits.max_wait_s:g}"
    raise Problem(
        code, f"`wait` must be {expected}", errors={"wait": [f"Must be {expected}."]}, expected=expected
    )
