"""The two background tasks behind a `Hub`: the listener on the wake-up channel, and the sweep, which looks at every
waiter once a second."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.exceptions import RedisError

from redisio.channels import WAKE_CHANNEL
from redisio.connection import Redis
from referee.polling.hub import Hub, Waiter
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
        connected: Callable[[str], object] = lambda run: None,
    ) -> None:
        """The listener calls `connected` with the `run_id` of Redis, or those of all masters of a cluster, at the start
        and soon after a connection to a server was opened again."""
        self.hub, self.redis, self.sweep_s = hub, redis, sweep_s
        self._connected = connected
        self._changes = -1
        self._noting = threading.Lock()
        self._stop = threading.Event()

    def start(self) -> None:
        """Start both tasks."""
        for task in (self._listen, self._sweep):
            threading.Thread(target=task, name=f"wakeups{task.__name__}", daemon=True).start()

    def stop(self) -> None:
        """Stop both tasks soon."""
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
        client = self.redis.listening_client()
        channel: Any = client.pubsub()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
        try:
            self._note_run()
            channel.subscribe(WAKE_CHANNEL)
            while not self._stop.is_set():
                message = channel.parse_response(block=True)
                if message[0] == b"message":
                    self._heard(message[2].decode().split(" "))
                else:
                    # Subscribed, maybe again after an interruption that lost wake-ups.
                    self.hub.wake_all()
        finally:
            channel.close()
            client.close()

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
