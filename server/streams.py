"""Streams of events, and responses that pause, without a greenlet for each of them.

A response that stays open for an hour would keep the greenlet of its connection, its stack, and gunicorn's request. So
the worker hands the connection over: `StreamPump` keeps one small object for each stream, and a few greenlets send
what is new. The greenlet of a stream that reads the store or has a slow client waits, and another one goes on with the
other streams.
"""

from __future__ import annotations

import enum
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import gevent
import structlog
from gevent.pool import Pool
from gunicorn import util

from referee.polling.waiter import Pause

if TYPE_CHECKING:
    from api.http.server_sent import EventStream

log = structlog.get_logger("server.streams")

AT_ONCE: Final = 32
"""To how many streams a greenlet sends before others have their turn, so that a crowd of watchers delays no move."""
SWEEP_S: Final = 0.25
"""How often streams whose pause is over are looked for."""


class _State(enum.Enum):
    PAUSED = enum.auto()
    READY = enum.auto()
    RUNNING = enum.auto()


class OpenStream:
    """A connection whose response is a stream of events."""

    __slots__ = ("chunked", "client", "due", "place", "pool", "pump", "state", "stream")

    def __init__(self, pump: StreamPump, stream: EventStream, client: Any, chunked: bool, pool: Pool) -> None:
        """`pool` has the greenlets of all connections."""
        self.pump, self.stream, self.client, self.chunked, self.pool = pump, stream, client, chunked, pool
        self.place: Any = gevent.Greenlet()
        """Takes the place of the connection's greenlet in the pool. It never runs."""
        self.due = 0.0
        """When the pause ends, by the pump's clock."""
        self.state = _State.RUNNING

    def wake(self) -> None:
        """Go on after a pause."""
        if self.state is _State.PAUSED:
            self.pump.add(self)

    def run(self) -> bool:
        """Send what is new. Return whether the stream goes on. Raise `OSError` if the client has gone."""
        while True:
            step = self.stream.step()
            if isinstance(step, Pause):
                step.waiter.on_wake = self.wake
                if not step.waiter.woken:
                    self.due = self.pump.monotonic() + step.seconds
                    self.state = _State.PAUSED
                    return True
            elif step is None:
                if self.chunked:
                    self._send(b"0\r\n\r\n")
                return False
            else:
                self._send(b"%x\r\n%b\r\n" % (len(step), step) if self.chunked else step)

    def _send(self, data: bytes) -> None:
        # Mostly one call sends everything, for which `sendall` takes much longer.
        sent = self.client.send(data)
        if sent < len(data):
            self.client.sendall(data[sent:])


class StreamPump:
    """Sends all streams of a worker."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self._streams: set[OpenStream] = set()
        self._ready: deque[OpenStream] = deque()
        self._has_successor = False
        """Whether a greenlet is about to look for ready streams."""
        self._sweeps = False

    def take(self, stream: EventStream, client: Any, *, chunked: bool, pool: Pool) -> None:
        """Take over the connection of the current greenlet, which belongs to this pool. The header was sent."""
        one = OpenStream(self, stream, client, chunked, pool)
        handler: Any = gevent.getcurrent()
        pool.discard(handler)
        pool.add(one.place)
        self._streams.add(one)
        if not self._sweeps:
            self._sweeps = True
            gevent.spawn(self._sweep)
        self.add(one)

    def add(self, one: OpenStream) -> None:
        """Send what is new in a stream soon."""
        one.state = _State.READY
        self._ready.append(one)
        self._ensure_successor()

    def _ensure_successor(self) -> None:
        if not self._has_successor:
            self._has_successor = True
            gevent.spawn(self._work)

    def _work(self) -> None:
        """Send to ready streams. If one of them blocks, or after `AT_ONCE`, the successor goes on."""
        self._has_successor = False
        for _ in range(AT_ONCE):
            if not self._ready:
                return
            one = self._ready.popleft()
            if self._ready:
                self._ensure_successor()
            self._run(one)

    def _run(self, one: OpenStream) -> None:
        one.state = _State.RUNNING
        try:
            if one.run():
                return
        except OSError as why:
            log.debug("a watcher has gone", why=str(why))
        except Exception:
            log.exception("a stream failed")
        self._streams.discard(one)
        one.stream.close()
        util.close(one.client)
        one.pool.discard(one.place)

    def _sweep(self) -> None:
        """Wake streams whose pause is over, as long as there are streams."""
        while self._streams:
            now = self.monotonic()
            for one in list(self._streams):
                if one.due <= now:
                    one.wake()
            gevent.sleep(SWEEP_S)
        self._sweeps = False


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
