"""The two background tasks behind a `Hub`: the listener on the wake-up channel, and the sweep, which looks at every
waiter once a second."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final

from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswer

from redisio.connection import WAKE_CHANNEL, Redis
from referee.polling.hub import Hub
from referee.polling.waiter import Waiter
from referee.service.state import ServiceState
from referee.storage.index import Probe
from referee.storage.redis import EVERYBODY

PART: Final = 50
"""How many waiters are looked at in one round trip. Thousands at once would delay the moves behind them."""

log = logging.getLogger(__name__)


class WakeupListener:
    """Passes wake-ups from Redis to a hub. Start it after the fork; under gevent its threads are greenlets."""

    def __init__(
        self,
        hub: Hub,
        redis: Redis,
        sweep_s: float = 1.0,
        silence_s: float = 3.0,
        connected: Callable[[str], object] = lambda run: None,
    ) -> None:
        """The listener calls `connected` with the `run_id` of Redis, or those of all masters of a cluster, at the start
        and soon after a connection to a server was opened again. It pings a server that is silent for `silence_s`, and
        subscribes again if no answer comes in as much time, because a server that hangs closes no connection."""
        self.hub, self.redis, self.sweep_s, self._silence_s = hub, redis, sweep_s, silence_s
        self._connected = connected
        self._changes = -1
        self._noting = threading.Lock()
        self._stop = threading.Event()

    def start(self) -> None:
        for task in (self._listen, self._sweep):
            threading.Thread(target=task, name=f"wakeups{task.__name__}", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def sweep(self) -> None:
        """Wake every waiter whose probes have changed."""
        for part in self._parts():
            self._sweep_part(part)

    def _parts(self) -> list[list[Waiter]]:
        waiters = self.hub.everybody()
        return [waiters[start : start + PART] for start in range(0, len(waiters), PART)]

    def _sweep_part(self, waiters: Sequence[Waiter]) -> None:
        probes: list[Probe] = list({probe: True for waiter in waiters for probe in waiter.probes})
        if not probes:
            return
        now = dict(zip(probes, self.redis.run(probes), strict=True))
        for waiter in waiters:
            if any(now.get(probe) != seen for probe, seen in waiter.probes.items()):
                waiter.wake()

    def _sweep(self) -> None:
        while not self._stop.is_set():
            try:
                self._sweep_evenly()
            except RedisError as error:
                log.warning("the sweep for waiters can't read Redis: %s", error)
                self._stop.wait(self.sweep_s)
            except Exception:
                # Without the sweep, a lost wake-up would last as long as the poll, so log the error and go on.
                log.exception("the sweep for waiters failed")
                self._stop.wait(self.sweep_s)

    def _sweep_evenly(self) -> None:
        parts = self._parts() or [[]]
        for part in parts:
            if self._stop.wait(self.sweep_s / len(parts)):
                return
            self._sweep_part(part)
            if self._changes != self.redis.changes:
                self._note_run()

    def _listen(self) -> None:
        while not self._stop.is_set():
            try:
                self._listen_once()
            except RedisError as error:
                log.warning("the wake-up listener lost Redis: %s", error)
                self._stop.wait(0.2)
            except Exception:
                # The sweep still wakes waiters, so log the error and go on.
                log.exception("the wake-up listener failed")
                self._stop.wait(1.0)

    def _listen_once(self) -> None:
        """Listen until the subscription may be dead. Raise `RedisError` if its connection is lost."""
        with closing(self.redis.listening_client()) as client, closing(client.pubsub()) as channel:  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
            try:
                self._note_run()
            except RedisError as error:
                # Another server may hang than that of the subscription. The sweep notes the run later.
                log.warning("the wake-up listener can't ask all servers: %s", error)
            changes = self.redis.changes
            channel.subscribe(WAKE_CHANNEL)
            is_pinged = False
            # Not `parse_response`, which takes three times as long: every move of the service is a message.
            connection = channel.connection
            # After a change of the masters, the server of the subscription may have left the cluster.
            while not self._stop.is_set() and self.redis.changes == changes:
                if not connection.can_read(self._silence_s):
                    if is_pinged:
                        raise NoAnswer("the server of the subscription does not answer")
                    channel.ping()
                    is_pinged = True
                    continue
                is_pinged, message = False, connection.read_response()
                if message[0] == b"message":
                    self._heard(message[2].decode().split(" "))
                elif message[0] == b"subscribe":
                    # Maybe again after an interruption that lost wake-ups.
                    self.hub.wake_all()

    def _note_run(self) -> None:
        with self._noting:
            changes = self.redis.changes
            self._connected(self.redis.runs())
            self._changes = changes

    def _heard(self, words: list[str]) -> None:
        if words[0] == EVERYBODY:
            self.hub.announce(int(words[1]), ServiceState(words[2]))
        else:
            self.hub.wake(*words)
