"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the form of every stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import structlog
from flask import Response, request

from api.problems import Problem
from api.schemas.streams import numbers_of
from engine.quoting import quoted
from referee.polling.streams import StreamEnd

log = structlog.get_logger("kozyr.api")

_SSE: Final = "text/event-stream"
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
    StreamEnd.REVOKED: 30_000,
    StreamEnd.FAILED: 5000,
}
_HEARTBEAT: Final = b":\n\n"
T = TypeVar("T")


def last_numbers(count: int) -> list[int] | None:
    """Return the numbers in the request's `Last-Event-ID`, missing ones as 0; `None` without this header. Raise
    `Problem` for one that is no id of a message."""
    text = request.headers.get("Last-Event-ID", "")
    try:
        return numbers_of(text, count) if text else None
    except ValueError:
        raise Problem("invalid_header", f"Last-Event-ID: {quoted(text)} is not the id of a message") from None


def stream_response(
    follows: Iterator[list[T] | StreamEnd],
    encoded: Callable[[T], bytes],
    outages: tuple[type[Exception], ...],
) -> Response:
    """Return a response that stays open. `encoded` returns the bytes of a message; an empty list is a heartbeat."""
    request.environ[STREAMS] = True
    messages = _messages(follows, encoded, outages)
    return Response(messages, headers={"X-Accel-Buffering": "no"}, content_type=_SSE)


def _messages(
    follows: Iterator[list[T] | StreamEnd],
    encoded: Callable[[T], bytes],
    outages: tuple[type[Exception], ...],
) -> Iterator[bytes]:
    """Yield the bytes of a stream."""
    yield b"retry: %d\n\n" % RETRY_MS
    try:
        for news in follows:
            if isinstance(news, StreamEnd):
                yield _last(news)
            else:
                yield b"".join(map(encoded, news)) or _HEARTBEAT
    except outages:
        yield _last(StreamEnd.FAILED)
    except Exception:
        # The status was sent long ago. The client reconnects, and gets the problem then.
        log.exception("a stream failed")
        yield _last(StreamEnd.FAILED)


def _last(end: StreamEnd) -> bytes:
    return b": %b\nretry: %d\n\n" % (end.value.encode(), _RETRY_MS[end])
