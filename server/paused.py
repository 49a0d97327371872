"""Connections whose response pauses: they wait as an object, without a greenlet and its stack."""

from __future__ import annotations

from typing import Any

import gevent
from gevent.pool import Pool

from referee.polling.waiter import Pause


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
