"""flask-smorest as we use it: strict bodies and queries, and our own problem documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import flask_smorest
import marshmallow
from flask import Request, Response, request
from webargs.core import missing
from webargs.flaskparser import FlaskParser

from api.problems import Problem
from api.wire import read_json

F = TypeVar("F", bound=Callable[..., Any])


class Parser(FlaskParser):
    """Reads JSON strictly, and refuses unknown parameters of the query as it refuses unknown fields."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {  # noqa: RUF012 - as webargs has it
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": marshmallow.RAISE,
    }

    def load_json(self, req: Request, schema: marshmallow.Schema) -> Any:
        """The body; a request without a body and without a content type has none."""
        return missing if not req.get_data() and not req.mimetype else read_json()

    def handle_error(
        self,
        error: marshmallow.ValidationError,
        req: Request,
        schema: marshmallow.Schema,
        *,
        error_status_code: int | None,
        error_headers: Mapping[str, str] | None,
    ) -> NoReturn:
        """Raises `Problem` with the errors by field."""
        messages: Any = error.messages
        location, errors = next(iter(messages.items()))
        if location == "json" and not req.get_data():
            raise Problem("wrong_content_type", "a body is needed, as `Content-Type: application/json`")
        code = "invalid_query" if location == "query" else "invalid_body"
        found = flat(errors)
        name, whys = next(iter(found.items()))
        raise Problem(code, f"{name}: {whys[0]}", errors=found)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """A resource's routes."""

    ARGUMENTS_PARSER = Parser()

    def route(self, rule: str, **options: Any) -> Callable[[F], F]:
        """See flask-smorest."""
        decorator: Callable[[F], F] = super().route(rule, **options)
        return decorator

    def arguments(
        self, schema: type[marshmallow.Schema], **options: Any
    ) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
        """See flask-smorest."""
        decorator: Callable[[Callable[..., Response]], Callable[..., Response]]
        decorator = super().arguments(schema, **options)
        return decorator


def flat(errors: Any, place: str = "") -> dict[str, list[str]]:
    """marshmallow's errors by dotted field."""
    if isinstance(errors, Mapping):
        found: dict[str, list[str]] = {}
        for name, inner in errors.items():
            found.update(flat(inner, f"{place}.{name}" if place else str(name)))
        return found
    if isinstance(errors, list | tuple):
        return {place or "_schema": [str(error) for error in errors]}
    return {place or "_schema": [str(errors)]}


def refuse_query() -> None:
    """Raises `Problem` if the request has a query; for addresses that take none."""
    if request.query_string:
        name = next(iter(request.args), "")
        raise Problem("invalid_query", f"there is no parameter {name!r}", errors={name: ["Unknown field."]})
