"""Blueprints whose routes are described, and parse bodies and queries strictly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from itertools import islice
from typing import Any, Final, NoReturn, TypeVar

import flask
import marshmallow
from flask import Request, Response, request
from webargs.core import missing
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import HTTPException

from api.auth import count_refused, guard, identify
from api.contract.describe import demands_of
from api.limits.rates import rates
from api.problems import Problem
from api.wire import read_json

_MOST_PARAMETERS = 64
_MOST_ERRORS = 32
"""The most errors in a problem, so that no response is larger than its request."""

F = TypeVar("F", bound=Callable[..., Any])


class Parser(FlaskParser):
    """Reads JSON strictly, and refuses unknown query parameters as well as unknown fields."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {  # noqa: RUF012 - as webargs has it
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": marshmallow.RAISE,
    }

    def load_querystring(self, req: Request, schema: marshmallow.Schema) -> Any:
        """Return the query. Raise `Problem` for more parameters than any route has."""
        if req.environ.get("QUERY_STRING", "").count("&") > _MOST_PARAMETERS:
            raise Problem("invalid_query", f"more than {_MOST_PARAMETERS} parameters")
        return super().load_querystring(req, schema)

    def load_json(self, req: Request, schema: marshmallow.Schema) -> Any:
        """Return the body, or `missing` if the request has neither body nor content type. Raise `Problem`."""
        if req.get_data() or req.mimetype:
            return read_json()
        if not getattr(schema, "may_be_absent", False):
            raise Problem("wrong_content_type", "this requires a body with `Content-Type: application/json`")
        return missing

    def handle_error(
        self,
        error: marshmallow.ValidationError,
        req: Request,
        schema: marshmallow.Schema,
        *,
        error_status_code: int | None,
        error_headers: Mapping[str, str] | None,
    ) -> NoReturn:
        """Raise `Problem` with the errors by field."""
        messages: Any = error.messages
        location, errors = next(iter(messages.items()))
        code = "invalid_query" if location == "query" else "invalid_body"
        by_field = dict(islice(flat(errors).items(), _MOST_ERRORS))
        name, whys = next(iter(by_field.items()))
        raise Problem(code, f"{name}: {whys[0]}", errors=by_field)


class Blueprint(flask.Blueprint):
    """The routes of a resource."""

    def __init__(self, name: str, import_name: str, description: str) -> None:
        """`description` is that of the resource in the OpenAPI document."""
        super().__init__(name, import_name)
        self.description = description
        self.documented: list[tuple[str, str, Callable[..., Any]]] = []
        """The rule, method and handler of each route."""

    def route(self, rule: str, **options: Any) -> Callable[[F], F]:
        """Register a handler that `api.contract.describe` has described."""
        register = super().route(rule, **options)

        def decorate(handler: F) -> F:
            register(_guarded(handler))
            for method in options.get("methods", ("GET",)):
                self.documented.append((rule, method.lower(), handler))
            return handler

        return decorate


_PARSER: Final = Parser()


def flat(errors: Any, place: str = "") -> dict[str, list[str]]:
    """Return marshmallow's errors by dotted field name."""
    if isinstance(errors, Mapping):
        by_field: dict[str, list[str]] = {}
        for name, inner in errors.items():
            by_field.update(flat(inner, f"{place}.{name}" if place else str(name)))
        return by_field
    if isinstance(errors, list | tuple):
        return {place or "_schema": [str(error) for error in errors]}
    return {place or "_schema": [str(errors)]}


def _guarded(handler: Callable[..., Response]) -> Callable[..., Response]:
    """Wrap a handler in the checks that its description demands.

    Nothing is parsed for an invalid token, and a request whose body or query is refused is counted too: parsing it took
    time.
    """
    demands = demands_of(handler)
    if not any(demands):
        return handler
    schema, location = demands.query or demands.body, "query" if demands.query else "json"

    @wraps(handler)
    def guarded(**where: Any) -> Response:
        guard(request.environ, demands, rates())
        if schema is None:
            return handler(**where)
        if demands.needs_token:
            identify()
        try:
            return handler(_PARSER.parse(schema, request, location=location), **where)
        except (Problem, HTTPException):
            count_refused()
            raise

    return guarded
