"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the form of every stream."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, Protocol, TypeVar

import structlog
from flask import Response, request

from referee.polling.broadcasts import StreamEnd
from referee.polling.waiter import Pause

log = structlog.get_logger("kozyr.api")

_SSE: Final = "text/event-stream"
STREAMS: Final = "kozyr.streams"
"""The entry of the request's environment that has the `EventStream` of a response, which may stay open for an hour.
With it a server can send the stream without a greenlet of its own."""
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
    StreamEnd.LIMITED: 60_000,
}
_HEARTBEAT: Final = b":\n\n"
T = TypeVar("T")


class StreamMeter(Protocol):
    """Charges what a stream sends to a rate limit (`api.limits.metering`)."""

    def sent(self, size: int) -> float:
        """Charge sent bytes. Return 0 within the limit."""

    def close(self) -> None:
        """Charge the rest."""


class EventStream:
    """The bytes of a stream: step by step for a server that waits in one place for many streams, or as the iterable of
    any WSGI server, which waits itself."""

    __slots__ = ("_begun", "_encoded", "_follows", "_is_over_limit", "_meter", "_outages")

    def __init__(
        self,
        follows: Generator[list[T] | StreamEnd | Pause, None, None],
        encoded: Callable[[T], bytes],
        outages: tuple[type[Exception], ...],
        meter: StreamMeter | None = None,
    ) -> None:
        """`encoded` returns the bytes of a message; an empty list is a heartbeat. `outages` end the stream, and so does
        `meter` beyond the rate limit."""
        self._follows, self._outages, self._begun = follows, outages, False
        self._meter, self._is_over_limit = meter, False
        self._encoded: Callable[[Any], bytes] = encoded

    def step(self) -> bytes | Pause | None:
        """Return the next bytes, or a pause before them, or `None` at the end. May read the store."""
        if not self._begun:
            self._begun = True
            return b"retry: %d\n\n" % RETRY_MS
        if self._is_over_limit:
            self._is_over_limit = False
            self._follows.close()
            return _last(StreamEnd.LIMITED)
        try:
            news = next(self._follows, None)
        except self._outages:
            return _last(StreamEnd.FAILED)
        except Exception:
            # The status was sent long ago. The client reconnects, and gets the problem then.
            log.exception("a stream failed")
            return _last(StreamEnd.FAILED)
        if isinstance(news, StreamEnd):
            return _last(news)
        if isinstance(news, list):
            return self._charged(b"".join(map(self._encoded, news)) or _HEARTBEAT)
        return news

    def _charged(self, data: bytes) -> bytes:
        if self._meter is not None and self._meter.sent(len(data)):
            self._is_over_limit = True
        return data

    def close(self) -> None:
        """Leave what the stream follows."""
        self._follows.close()
        if self._meter is not None:
            self._meter.close()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> bytes:
        while isinstance(step := self.step(), Pause):
            step.waiter.wait(step.seconds)
        if step is None:
            raise StopIteration
        return step


def stream_response(
    follows: Generator[list[T] | StreamEnd | Pause, None, None],
    encoded: Callable[[T], bytes],
    outages: tuple[type[Exception], ...],
    meter: StreamMeter | None = None,
) -> Response:
    """Return a response that stays open, as `EventStream` describes it."""
    stream = EventStream(follows, encoded, outages, meter)
    request.environ[STREAMS] = stream
    return Response(stream, headers={"X-Accel-Buffering": "no"}, content_type=_SSE)


def _last(end: StreamEnd) -> bytes:
    return b": %b\nretry: %d\n\n" % (end.value.encode(), _RETRY_MS[end])
