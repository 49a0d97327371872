"""Matches as they happen: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import structlog
from flask import Response, request

from api import auth, waits
from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec, describe
from api.problems import Problem
from api.resources.matches import look
from api.schemas.common import Json
from api.schemas.streams import MatchStreamQuery, PageStreamQuery, StreamKind, numbers_of
from api.services import services
from engine.quoting import quoted
from referee.polling.streams import Sent, StreamEnd, View

blueprint = Blueprint("streams", __name__, description="Matches as they happen.")
log = structlog.get_logger("kozyr.api")

Body = dict[str, Any]
SSE: Final = "text/event-stream"
STREAMS: Final = "kozyr.streams"
"""Tells the server that the response may stay open for an hour, so that it frees the rest of the request."""
RETRY_MS: Final = 2000
"""When a client reconnects after a connection that was cut."""
_RETRY_MS: Final = {
    StreamEnd.OVER: RETRY_MS,
    StreamEnd.TIME: RETRY_MS,
    StreamEnd.STOPPING: 1000,
    StreamEnd.PAUSED: 10_000,
    StreamEnd.REPLACED: 30_000,
    StreamEnd.FAILED: 5000,
}
_HEARTBEAT: Final = b":\n\n"
_LAST: Final[Json] = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The `id` of the last message received, which browsers send when they reconnect. Replaces `after`",
    "schema": {"type": "string", "maxLength": 200},
}
_NO_MORE: Final = ResponseSpec("Nothing follows: every match is over. Browsers do not reconnect")
_PROBLEMS: Final = ("no_such_match", "invalid_header")


def _stream_of(what: str) -> ResponseSpec:
    return ResponseSpec(what, content={SSE: {"type": "string"}})


@blueprint.route("/v1/matches/<match>/stream")
@describe(
    "streamMatch",
    {
        200: _stream_of("Messages, each with one event or frame as `data`, and its number as `id`"),
        204: _NO_MORE,
    },
    token_optional=True,
    headers=[_LAST],
    problems=["not_found", *_PROBLEMS],
    has_query=True,
)
@blueprint.arguments(MatchStreamQuery, location="query")
def stream_match(query: Body, match: str) -> Response:
    """Stream a match as the caller may see it.

    The events or frames of the match so far, then each new one as it happens. The stream ends with the match. If it
    is cut, continue with the `id` of the last message as `Last-Event-ID` or `after`. A match of a duplicate group
    that is not over is silent for spectators; when the group ends, they get all of it.
    """
    return _stream([match], query, _numbers([query["after"]]), wrapped=False)


@blueprint.route("/v1/stream")
@describe(
    "streamMatches",
    {
        200: _stream_of(
            "Messages. `data` has the `match`, and its `event` or `frame`. `id` has a number for each match"
        ),
        204: _NO_MORE,
    },
    token_optional=True,
    headers=[_LAST],
    problems=_PROBLEMS,
    has_query=True,
)
@blueprint.arguments(PageStreamQuery, location="query")
def stream_matches(query: Body) -> Response:
    """Stream several matches in one connection, as the caller may see them.

    Browsers allow six connections to a host, so a page with many matches needs this. It works like the stream of
    one match, and ends with the last of them.
    """
    matches = list(dict.fromkeys(query["matches"].split(",")))
    return _stream(matches, query, _numbers(numbers_of(query["after"], len(matches))), wrapped=True)


def _numbers(after: list[int]) -> list[int]:
    """Return the numbers of `Last-Event-ID`, or `after` without one. Raise `Problem` for an invalid one."""
    text = request.headers.get("Last-Event-ID", "")
    if not text:
        return after
    try:
        return numbers_of(text, len(after))
    except ValueError:
        raise Problem("invalid_header", f"Last-Event-ID: {quoted(text)} is no id of a message") from None


def _stream(matches: Sequence[str], query: Body, after: Sequence[int], *, wrapped: bool) -> Response:
    parts, bot = services(), auth.reader()
    frames = query["kind"] == StreamKind.FRAMES
    lives = [look(match) for match in matches]
    views = [View(live.id, live.config.seat_of(bot) if bot else None, frames) for live in lives]
    if all(map(parts.streams.is_over, lives, views, after)):
        return Response(status=204)
    wait = 0.0 if waits.is_abandoned(request.environ) else min(query["seconds"], parts.limits.max_stream_s)
    holder = bot or parts.addresses.of(request.environ)
    messages = _messages(
        parts.streams.follow(views, after, wait, holder),
        list(after),
        [_prefix(view) for view in views] if wrapped else None,
        parts.store_errors,
    )
    request.environ[STREAMS] = True
    return Response(messages, headers={"X-Accel-Buffering": "no"}, content_type=SSE)


def _prefix(view: View) -> bytes:
    """Return the beginning of the JSON of a message about this match."""
    return f'{{"match":"{view.match}","{"frame" if view.frames else "event"}":'.encode()


def _messages(
    follows: Iterator[list[Sent] | StreamEnd],
    numbers: list[int],
    prefixes: Sequence[bytes] | None,
    outages: tuple[type[Exception], ...],
) -> Iterator[bytes]:
    """Yield the bytes of a stream. `numbers` are those before it, `prefixes` wrap the data by match."""
    yield b"retry: %d\n\n" % RETRY_MS
    try:
        for news in follows:
            if isinstance(news, StreamEnd):
                yield _last(news)
            else:
                yield b"".join([_message(sent, numbers, prefixes) for sent in news]) or _HEARTBEAT
    except outages:
        yield _last(StreamEnd.FAILED)
    except Exception:
        # The status was sent long ago. The client reconnects, and gets the problem then.
        log.exception("a stream failed")
        yield _last(StreamEnd.FAILED)


def _message(sent: Sent, numbers: list[int], prefixes: Sequence[bytes] | None) -> bytes:
    numbers[sent.place] = sent.number
    ident = "-".join(map(str, numbers)).encode()
    if prefixes is None:
        return b"id: %b\ndata: %b\n\n" % (ident, sent.data)
    return b"id: %b\ndata: %b%b}\n\n" % (ident, prefixes[sent.place], sent.data)


def _last(end: StreamEnd) -> bytes:
    return b": %b\nretry: %d\n\n" % (end.value.encode(), _RETRY_MS[end])
