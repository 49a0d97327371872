"""The specifications of routes: their demands on requests, and their part of the OpenAPI document."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

from flask import Response

from api.limits.rates import RateScope
from api.problems import KINDS, PROBLEM_JSON
from api.schemas.common import EXCEL, Json, Strict, ref
from api.schemas.responses import ResponseSchema
from api.wire import CSV, JSON

TOKEN: Final = ("token_missing", "token_invalid")
BODY: Final = (
    "bad_json",
    "body_cut_short",
    "body_timeout",
    "body_too_large",
    "wrong_content_type",
    "encoded_body",
    "invalid_body",
)
KEY: Final = ("invalid_header", "idempotency_key_reused", "idempotency_key_in_flight")
STORE: Final = ("store_unavailable", "storage_full")
RATE: Final = ("rate_limited",)
NOT_ADMITTED: Final = ("service_paused", "service_draining")
CHALLENGE: Final = (
    "no_such_game",
    "no_such_bot",
    "not_your_bot",
    "bot_unavailable",
    "bad_table",
    "too_many_house_matches",
    *NOT_ADMITTED,
)
"""Why a casual match or group is not created."""


def header(description: str, schema: Json | None = None, *, required: bool = False) -> Json:
    """Return a header of a response, by default a text."""
    return {
        "description": description,
        "schema": schema or {"type": "string"},
        **({"required": True} if required else {}),
    }


PLAYER: Final = "player"
"""The tag of the operations that a bot needs to play, beside that of their resource."""

LOCATION: Final[Mapping[str, Json]] = {"Location": header("The URL of the new resource", required=True)}
CURSOR: Final = "Kozyr-Cursor"
GOES_ON: Final[Mapping[str, Json]] = {
    CURSOR: header("The `cursor` of the next page; absent on the last page")
}
"""The cursor header of lists whose body has no place for a cursor."""


class ResponseSpec(NamedTuple):
    """A response: a component, or a schema for each content type."""

    description: str
    schema: type[ResponseSchema] | str | None = None
    """Dumps the model that the handler returns. With the name of a component, the handler returns JSON itself."""
    status: int = 200
    content: Mapping[str, Json] | None = None
    headers: Mapping[str, Json] | None = None
    send: Callable[[Json], Response] | None = None
    """How a body is sent, if not as JSON."""

    @property
    def contents(self) -> Mapping[str, Json]:
        """The schema of each content type."""
        return self.content or ({} if self.schema is None else {JSON: ref_to(self.schema)})


def created(description: str, schema: type[ResponseSchema] | str, status: int = 201) -> ResponseSpec:
    """Return the specification of the response with a new resource, whose handler returns a `Created`."""
    return ResponseSpec(description, schema, status, headers=LOCATION)


class Created(NamedTuple):
    """A new resource, as a handler returns it."""

    model: object
    location: str
    """Its path."""


LAST_EVENT_ID: Final[Json] = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The `id` of the last message received, which browsers send when they reconnect. Replaces `after`",
    "schema": {"type": "string", "maxLength": 399},
}


def stream_of(what: str) -> ResponseSpec:
    """Return the specification of a stream of server-sent events.

    OpenAPI 3.1 can't describe a message: some tools apply a schema to the body, others to each message.
    """
    return ResponseSpec(
        what, content={"text/event-stream": {"description": "Server-sent events (HTML standard)"}}
    )


@dataclass(frozen=True)
class RouteSpec:
    """A route: its demands on requests, and its part of the document.

    The problems that follow from the other fields need not be listed.
    """

    method: str
    rule: str
    answers: tuple[ResponseSpec, ...]
    """The first describes the response to a returned model."""
    scope: str | None = None
    """The scope that the token needs; `any` for a token with any scope."""
    token_optional: bool = False
    rate: RateScope | None = None
    """What a request counts as; by default a creation if it is `keyed`, else a request."""
    problems: Sequence[str] = ()
    body: str | Json | type[Strict] | None = None
    """A schema class parses the body, and the handler takes the result first. The handler reads any other body."""
    query: type[Strict] | None = None
    """Parses the query, and the handler takes the result first."""
    any_query: bool = False
    """Whether a route without query parameters ignores a query. By default it refuses one."""
    parameters: Sequence[Json] = ()
    keyed: int = 0
    """The least length of an `Idempotency-Key`; 0 if the route takes none."""
    store: bool = True
    counted: bool = True
    """Whether requests count towards a rate limit."""
    player: bool = False
    """Whether a bot needs the operation to play."""

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The content types of successful responses."""
        found = [kind for each in self.answers if each.status < 400 for kind in each.contents]
        return tuple(dict.fromkeys(found))

    @cached_property
    def parsed_query(self) -> type[Strict] | None:
        """What parses the query. A table also takes `excel`."""
        if CSV in self.kinds:
            return type("TableQuery", (self.query or Strict,), {"excel": EXCEL})
        return self.query

    @cached_property
    def loader(self) -> Strict | None:
        """What parses the query or the body."""
        schema = self.parsed_query or (self.body if isinstance(self.body, type) else None)
        return None if schema is None else schema()

    @cached_property
    def takes_no_query(self) -> bool:
        """Whether any query is refused."""
        by_hand = any(each["in"] == "query" for each in self.parameters)
        return not (self.any_query or self.parsed_query or by_hand)

    @cached_property
    def counts_reader(self) -> bool:
        """Whether the request is counted before its handler, which does not authenticate."""
        return self.counted and self.scope is None and not self.token_optional

    def document(self, handler: Callable[..., Any], tag: str) -> Json:
        """Return the operation, as apispec takes it. The text is that of the handler, and so is the name."""
        summary, _, description = inspect.cleandoc(handler.__doc__ or "").partition("\n\n")
        first, *others = handler.__name__.split("_")
        made: Json = {
            "summary": summary,
            **({"description": description} if description else {}),
            "tags": [tag, *([PLAYER] if self.player else [])],
            "operationId": first + "".join(map(str.capitalize, others)),
            "responses": {each.status: self._answer(each) for each in self.answers}
            | _problems(self._codes()),
            **_security(self.scope, token_optional=self.token_optional),
        }
        if self.body is not None:
            schema = ref(self.body) if isinstance(self.body, str) else self.body
            required = not (isinstance(self.body, type) and self.body.may_be_absent)
            made["requestBody"] = {"required": required, "content": {JSON: {"schema": schema}}}
        queries = [{"in": "query", "schema": self.parsed_query}] if self.parsed_query else []
        key = [_key(self.keyed)] if self.keyed else []
        if more := [*queries, *self.parameters, *key]:
            made["parameters"] = deepcopy(more)
        return made

    def _codes(self) -> Iterator[str]:
        yield from self.problems
        if "<" in self.rule:
            yield "not_found"
        for collection, following in pairwise(self.rule.split("/")):
            if following.startswith("<") and collection in _NO_SUCH:
                yield _NO_SUCH[collection]
        for name, code in _OF_QUERY.items():
            if self.query is not None and name in self.query._declared_fields:
                yield code
        if self.scope or self.token_optional:
            yield from TOKEN if self.scope else TOKEN[1:]
        if self.scope in ("league", "play", "read"):
            yield "wrong_token_kind"
        if (self.scope or self.token_optional) and self.scope != "any":
            yield "scope_missing"
        if self.body is not None:
            yield from BODY
        if self.kinds:
            yield "not_acceptable"
        if not self.any_query:
            yield "invalid_query"
        if self.keyed:
            yield from KEY
        if self.store:
            yield from STORE
        if self.counted:
            yield from RATE

    def _answer(self, answer: ResponseSpec) -> Json:
        document: Json = {"description": answer.description}
        if answer.contents:
            document["content"] = {kind: {"schema": dict(schema)} for kind, schema in answer.contents.items()}
        headers = {
            **(answer.headers or {}),
            **(_RATE if self.counted else {}),
            **(_REPLAYED if self.keyed else {}),
        }
        return {**document, "headers": deepcopy(headers)} if headers else document


def ref_to(schema: type[ResponseSchema] | str) -> Json:
    """Return a reference to the component of a schema."""
    return ref(schema if isinstance(schema, str) else schema.component_name())


_NO_SUCH: Final = {
    **{
        f"{name}s": f"no_such_{name}"
        for name in ("bot", "check", "game", "group", "ladder", "owner", "round")
    },
    **{f"{name}s": f"no_such_{name}" for name in ("season", "token", "webhook")},
    "deliveries": "no_such_message",
    "entries": "no_such_bot",
    "matches": "no_such_match",
}
"""The problem of a path that names nothing, by collection."""
_OF_QUERY: Final = {"cursor": "bad_cursor", "preset": "no_such_preset", "season": "no_such_season"}
"""The problem of a parameter that names nothing."""


def spec_of(handler: Callable[..., Any]) -> RouteSpec:
    """Return the specification of a handler's route."""
    spec: RouteSpec = handler._spec  # type: ignore[attr-defined]  # put there by `Blueprint.serve`
    return spec


def _security(scope: str | None, *, token_optional: bool) -> Json:
    if not scope:
        return {"security": [{}, {"bearer": []}] if token_optional else []}
    return {"security": [{"bearer": []}], **({} if scope == "any" else {"x-scope": scope})}


def _key(least: int) -> Json:
    return {
        "name": "Idempotency-Key",
        "in": "header",
        "description": f"A text of your choice, {least} to 128 printable characters. Within a day, the same request "
        "with the same key returns the first response (with `Idempotency-Replayed: true`) and has no further effect",
        "schema": {"type": "string", "pattern": rf"^[\x21-\x7e]{{{least},128}}$"},
    }


def query(name: str, description: str, schema: Json) -> Json:
    """Return a query parameter."""
    return {"name": name, "in": "query", "description": description, "schema": schema}


_REPLAYED: Final[Mapping[str, Json]] = {
    "Idempotency-Replayed": header(
        "Present if this is the stored response to an earlier request with this key",
        {"type": "string", "const": "true"},
    )
}
_RATE: Final[Mapping[str, Json]] = {
    name: {"$ref": f"#/components/headers/{name}"} for name in ("RateLimit-Policy", "RateLimit")
}
_RETRY_AFTER: Final[Json] = {
    "Retry-After": header("Seconds to wait before retrying", {"type": "integer", "minimum": 0}, required=True)
}
_HEADERS: Final[Mapping[int, Json]] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}, "required": True}},
    416: {"Content-Range": header("The size of the file, as in `bytes */4096`", required=True)},
    429: {**_RETRY_AFTER, **_RATE},
    503: _RETRY_AFTER,
}


def _problems(codes: Iterable[str]) -> dict[int, Json]:
    by_status: dict[int, list[str]] = {}
    found = set(codes)
    if "no_such_match" in found:
        found.add("match_unreadable")
    for code in sorted(found, key=list(KINDS).index):
        by_status.setdefault(KINDS[code].status, []).append(code)
    return {
        status: {**problems_response(same), **({"headers": _HEADERS[status]} if status in _HEADERS else {})}
        for status, same in sorted(by_status.items())
    }


def problems_response(codes: Sequence[str]) -> Json:
    """Return the response that is a problem with one of these codes."""
    return {
        "description": "; ".join(f"`{code}`: {KINDS[code].title}" for code in codes),
        "content": {
            PROBLEM_JSON: {
                "schema": ref("Problem"),
                "examples": {code: {"$ref": f"#/components/examples/{code}"} for code in codes},
            }
        },
    }


def problem_example(code: str) -> Json:
    """Return an example of a problem with this code."""
    kind = KINDS[code]
    return {
        "type": f"/docs/problems#{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": kind.title + ".",
        "code": code,
        "retryable": kind.retryable,
        "request_id": "q7h2m4x9c3t5",
    }
