"""Responses that pause, without a greenlet for each of them: polls, and streams of events that stay open for an hour.

A greenlet, its stack and gunicorn's request would take more memory than all else that a waiting connection needs. So
the worker keeps a `PausedConnection`, and a new greenlet goes on with the response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gevent
import structlog
from gevent.pool import Pool
from gunicorn import util

from referee.polling.waiter import Pause

if TYPE_CHECKING:
    from api.http.server_sent import EventStream

log = structlog.get_logger("server.streams")


class OpenStream:
    """A connection whose response is a stream of events. The header was sent."""

    __slots__ = ("_chunked", "_client", "_pool", "_stream")

    def __init__(self, stream: EventStream, client: Any, *, chunked: bool, pool: Pool) -> None:
        """`pool` has the greenlets of all connections."""
        self._stream, self._client, self._chunked, self._pool = stream, client, chunked, pool

    def run(self) -> None:
        """Send what is new, until the stream pauses or ends. Call this in a greenlet of the pool."""
        try:
            while (step := self._stream.step()) is not None:
                if isinstance(step, Pause):
                    PausedConnection(step, gevent.Greenlet(self.run), self._pool)
                    return
                self._client.sendall(b"%x\r\n%b\r\n" % (len(step), step) if self._chunked else step)
            if self._chunked:
                self._client.sendall(b"0\r\n\r\n")
        except OSError as why:
            log.debug("a watcher has gone", why=str(why))
        except Exception:
            log.exception("a stream failed")
        self._stream.close()
        util.close(self._client)


class PausedConnection:
    """A connection until its response goes on."""

    __slots__ = ("_pause", "_rest", "_timer")

    def __init__(self, pause: Pause, rest: Any, pool: Pool) -> None:
        """`rest` starts after the pause. Until then it takes the place of the current greenlet in the pool."""
        self._pause, self._rest = pause, rest
        handler: Any = gevent.getcurrent()
        pool.discard(handler)
        pool.add(rest)
        self._timer = gevent.get_hub().loop.timer(max(0.0, pause.seconds))
        self._timer.start(self._go_on)
        pause.waiter.on_wake = self._go_on
        if pause.waiter.woken:  # before that
            self._go_on()

    def _go_on(self) -> None:
        self._pause.waiter.on_wake = None
        self._timer.close()
        self._rest.start()
