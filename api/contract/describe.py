"""Describe handlers for the OpenAPI document. Decorated handlers are not wrapped, so this costs no request time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, NamedTuple, TypeVar

from api.problems import KINDS, PROBLEM_JSON
from api.schemas.common import EXCEL, Json, Strict, ref
from api.wire import CSV, JSON

F = TypeVar("F", bound=Callable[..., Any])

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


class HandlerDemands(NamedTuple):
    """What a handler's description demands of every request."""

    needs_token: bool
    no_query: bool
    counted: bool
    """Whether the blueprint counts the request, because the handler does not authenticate."""
    kinds: tuple[str, ...]
    """The content types of its successful responses."""
    query: type[Strict] | None = None
    body: type[Strict] | None = None
    """The schema that parses the query or the body before the handler runs, which gets the result."""


class ResponseSpec(NamedTuple):
    """A response: a component, or a schema for each content type."""

    description: str
    schema: str | None = None
    content: Mapping[str, Json] | None = None
    headers: Mapping[str, Json] | None = None


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


def describe(
    operation: str,
    answers: Mapping[int, ResponseSpec],
    *,
    scope: str | None = None,
    token_optional: bool = False,
    problems: Sequence[str] = (),
    body: str | Json | type[Strict] | None = None,
    query: type[Strict] | None = None,
    any_query: bool = False,
    parameters: Sequence[Json] = (),
    headers: Sequence[Json] = (),
    keyed: int = 0,
    store: bool = True,
    counted: bool = True,
    player: bool = False,
) -> Callable[[F], F]:
    """Describe a handler. The problems that follow from the other arguments need not be listed.

    `scope` is the scope that the token needs (`any`: a token with any scope). A schema class as `body` or `query`
    parses it, and the handler takes the result as its first argument; any other `body` is one that the handler reads
    by hand. A handler of a table always takes a query. Any other without query parameters refuses a query, unless
    `any_query`. `keyed` is the least length of an `Idempotency-Key`, 0 if the handler takes none. `counted` requests
    count towards a rate limit. A bot needs the operations of a `player` to play.
    """
    codes = [*problems]
    if scope or token_optional:
        codes += TOKEN if scope else TOKEN[1:]
        codes += ["scope_missing"] if scope != "any" else []
    if body is not None:
        codes += BODY
    kinds = tuple(
        dict.fromkeys(kind for status, each in answers.items() if status < 400 for kind in _kinds(each))
    )
    if kinds:
        codes += ["not_acceptable"]
    if not any_query:
        codes += ["invalid_query"]
    if "no_such_match" in codes:
        codes += ["match_unreadable"]
    if keyed:
        codes += KEY
    if store:
        codes += STORE
    if counted:
        codes += RATE
        answers = {status: _counted(answer) for status, answer in answers.items()}
    if keyed:
        answers = {status: _keyed(answer) for status, answer in answers.items()}
    if CSV in kinds:
        query = type("TableQuery", (query or Strict,), {"excel": EXCEL})
    no_query = not (any_query or query or any(each["in"] == "query" for each in parameters))

    def document() -> Json:
        made: Json = {
            "tags": [PLAYER] if player else [],
            "operationId": operation,
            "responses": {status: _answer(answer) for status, answer in answers.items()} | _problems(codes),
            **_security(scope, token_optional=token_optional),
        }
        if body is not None:
            schema = ref(body) if isinstance(body, str) else body
            required = not (isinstance(body, type) and body.may_be_absent)
            made["requestBody"] = {"required": required, "content": {JSON: {"schema": schema}}}
        parsed = [] if query is None else [{"in": "query", "schema": query}]
        if more := [*parsed, *parameters, *([_key(keyed)] if keyed else []), *headers]:
            made["parameters"] = more
        return made

    def decorate(handler: F) -> F:
        handler._document = document  # type: ignore[attr-defined]  # see `document_of`
        handler._demands = HandlerDemands(  # type: ignore[attr-defined]  # see `demands_of`
            scope is not None,
            no_query,
            counted and scope is None and not token_optional,
            kinds,
            query,
            body if isinstance(body, type) else None,
        )
        return handler

    return decorate


def demands_of(handler: Callable[..., Any]) -> HandlerDemands:
    """Return what a described handler demands of every request."""
    demands: HandlerDemands = handler._demands  # type: ignore[attr-defined]  # put there by `describe`
    return demands


def document_of(handler: Callable[..., Any], tag: str) -> Json:
    """Return the operation of a described handler, as apispec takes it. Nobody but the caller has it."""
    summary, _, description = inspect.cleandoc(handler.__doc__ or "").partition("\n\n")
    texts = {"summary": summary, **({"description": description} if description else {})}
    document: Json = handler._document()  # type: ignore[attr-defined]  # put there by `describe`
    return {**texts, **deepcopy(document), "tags": [tag, *document["tags"]]}


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


def _answer(answer: ResponseSpec) -> Json:
    document: Json = {"description": answer.description}
    if answer.schema is not None:
        document["content"] = {JSON: {"schema": ref(answer.schema)}}
    elif answer.content is not None:
        document["content"] = {kind: {"schema": dict(schema)} for kind, schema in answer.content.items()}
    if answer.headers:
        document["headers"] = dict(answer.headers)
    return document


def _kinds(answer: ResponseSpec) -> Sequence[str]:
    return [JSON] if answer.schema is not None else list(answer.content or ())


def _keyed(answer: ResponseSpec) -> ResponseSpec:
    replayed = {
        "Idempotency-Replayed": header(
            "Present if this is the stored response to an earlier request with this key",
            {"type": "string", "const": "true"},
        )
    }
    return answer._replace(headers={**(answer.headers or {}), **replayed})


def _counted(answer: ResponseSpec) -> ResponseSpec:
    return answer._replace(headers={**(answer.headers or {}), **_RATE})


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


def _problems(codes: Sequence[str]) -> dict[int, Json]:
    by_status: dict[int, list[str]] = {}
    for code in sorted(set(codes), key=list(KINDS).index):
        by_status.setdefault(KINDS[code].status, []).append(code)
    return {
        status: {**problems_response(found), **({"headers": _HEADERS[status]} if status in _HEADERS else {})}
        for status, found in sorted(by_status.items())
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
