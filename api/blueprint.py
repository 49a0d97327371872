"""Blueprints whose routes have specifications, and parse bodies and queries strictly."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from itertools import islice
from typing import Any, Final, TypeVar

import flask
from flask import Response, request
from marshmallow import ValidationError
from werkzeug.exceptions import HTTPException

from api.auth import actor, anybody, caller, count_refused, guard, identify
from api.contract.describe import Created, ResponseSpec, RouteSpec
from api.idempotency import once
from api.limits.rates import RateScope, rates
from api.problems import Problem
from api.schemas.common import Strict
from api.schemas.responses import dump
from api.wire import answer, read_json
from league.accounts.tokens import Scope

_MOST_PARAMETERS: Final = 64
_MOST_ERRORS: Final = 32
"""The most errors in a problem, so that no response is larger than its request."""

F = TypeVar("F", bound=Callable[..., Any])


class Blueprint(flask.Blueprint):
    """The routes of a resource."""

    def __init__(self, name: str, import_name: str, description: str) -> None:
        """`description` is that of the resource in the OpenAPI document."""
        super().__init__(name, import_name)
        self.description = description
        self.documented: list[tuple[RouteSpec, Callable[..., Any]]] = []
        """The specification and handler of each route."""

    def serve(self, route: str, *answers: ResponseSpec, **more: Any) -> Callable[[F], F]:
        """Register a handler for a route such as `GET /v1/games`. `more` are fields of `RouteSpec`.

        The handler takes the parsed body or query first, then the variables of the path by name. If the route has a
        scope, it may also take `caller` (the token), `by` (its holder, for the audit log) and `seed`. Ids and tokens
        derive from the seed, so a repeated request creates the same. The handler returns the model of the first
        answer, a `Created`, or a response.
        """
        method, _, rule = route.partition(" ")
        spec = RouteSpec(method, rule, answers, **more)

        def decorate(handler: F) -> F:
            handler._spec = spec  # type: ignore[attr-defined]  # see `spec_of`
            self.add_url_rule(rule, view_func=_served(spec, handler), methods=[method])
            self.documented.append((spec, handler))
            return handler

        return decorate


def invalid(code: str, errors: Any) -> Problem:
    """Return the problem of marshmallow's errors."""
    by_field = dict(islice(flat(errors).items(), _MOST_ERRORS))
    name, whys = next(iter(by_field.items()))
    return Problem(code, f"{name}: {whys[0]}", errors=by_field)


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


def _served(spec: RouteSpec, handler: Callable[..., object]) -> Callable[..., Response]:
    """Wrap a handler in what its specification demands: checks, parsing, authentication and idempotency.

    Nothing is parsed for an invalid token, and a request whose body or query is refused is counted too: parsing it took
    time.
    """
    takes = inspect.signature(handler).parameters

    @wraps(handler)
    def served(**where: Any) -> Response:
        guard(request.environ, spec, rates())
        try:
            return answered(where)
        except (Problem, HTTPException):
            count_refused()
            raise

    def answered(where: dict[str, Any]) -> Response:
        parsed: tuple[Any, ...] = ()
        if spec.loader is not None:
            if spec.scope:
                identify()
            parsed = (_loaded(spec, spec.loader),)
        if spec.scope is None:
            return _response(spec, handler(*parsed, **where))
        rate = spec.rate or (RateScope.CREATIONS if spec.keyed else RateScope.REQUESTS)
        token = anybody(rate) if spec.scope == "any" else caller(Scope(spec.scope), rate)

        def create(seed: str | None) -> Response:
            given = {"caller": token, "by": actor(token), "seed": seed}
            wanted = {name: value for name, value in given.items() if name in takes}
            return _response(spec, handler(*parsed, **where, **wanted))

        return once(token.id, create, has_body=spec.body is not None) if spec.keyed else create(None)

    return served


def _loaded(spec: RouteSpec, loader: Strict) -> Any:
    """Return the body or the query of the request. Raise `Problem`."""
    try:
        return loader.load(_query() if spec.body is None else _body(loader))
    except ValidationError as error:
        raise invalid("invalid_query" if spec.body is None else "invalid_body", error.messages) from None


def _query() -> dict[str, str]:
    """Return the query. Of a repeated parameter the first counts."""
    if request.environ.get("QUERY_STRING", "").count("&") > _MOST_PARAMETERS:
        raise Problem("invalid_query", f"more than {_MOST_PARAMETERS} parameters")
    return request.args.to_dict()


def _body(loader: Strict) -> Any:
    """Return the JSON of the body, or an empty object for an omitted optional body. Raise `Problem`."""
    if request.get_data() or request.mimetype:
        return read_json()
    if not loader.may_be_absent:
        raise Problem("wrong_content_type", "this requires a body with `Content-Type: application/json`")
    return {}


def _response(spec: RouteSpec, found: object) -> Response:
    """Return the response with what a handler returned."""
    if isinstance(found, Response):
        return found
    first = spec.answers[0]
    if first.schema is None:
        return Response(status=first.status)
    model, headers = (
        (found.model, {"Location": found.location}) if isinstance(found, Created) else (found, {})
    )
    body: Any = model if isinstance(first.schema, str) else dump(first.schema, model)
    return answer(body, first.status, headers) if first.send is None else first.send(body)
