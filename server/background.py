"""The background threads of an API process."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from redis.exceptions import RedisError

from league.accounts.idempotency import RENEW_S
from referee.polling.redis import WakeupListener
from referee.storage.redis_data_version import UnknownDataVersion
from server.stored_data import claim_formats

if TYPE_CHECKING:
    from api.limits.refusals import Refusals
    from league.container.league import LeagueContainer
    from server.config.settings import Settings
    from server.disk import DiskGuard
    from server.heartbeats import HeartbeatSender

log = logging.getLogger(__name__)

BEAT_S: Final = 0.1
"""How often an API process sends a heartbeat, in seconds. A turn times out only after a heartbeat that follows its
deadline, so this delays the deadline loop."""
IDLE_BEAT_S: Final = 0.8
"""The same while no deadline is set. It must be below `server.heartbeats.STOOD_STILL_S`."""
WORTH_A_WARNING_MS: Final = 1_000
"""The shortest credit that is logged. The first match after a rest is credited less than `IDLE_BEAT_S`."""
LEAVE_WITHIN_S: Final = 1.0
"""How long an ending API process waits for its last heartbeat, in seconds."""
WORKER_BOOT_ERROR: Final = 3
"""With this exit status of a worker, gunicorn stops instead of starting another worker."""
COUNTS_S: Final = 1.0
"""How often an API process stores counts of refused moves, logs suppressed refusals and updates polled metrics, in
seconds."""


class Background:
    """The wake-up listener, the heartbeat, the counters and the lease renewal of an API process."""

    def __init__(
        self,
        settings: Settings,
        container: LeagueContainer,
        heart: HeartbeatSender,
        guard: DiskGuard,
        refusals: Refusals,
        periodic: Sequence[Callable[[], object]] = (),
    ) -> None:
        """Call each of `periodic` every `COUNTS_S` seconds."""
        self._settings, self._container, self._heart, self._guard = settings, container, heart, guard
        self._refusals, self._periodic = refusals, periodic
        self._wakeups = WakeupListener(container.hub, container.redis, connected=self._connected)
        self._stop = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start all threads. Call this after the fork."""
        self._wakeups.start()
        self._beating.start()
        threading.Thread(target=self._tell_counts, name="counts", daemon=True).start()
        threading.Thread(target=self._renew_leases, name="leases", daemon=True).start()

    def close(self) -> None:
        """Answer every waiting poll and stop all threads."""
        self._container.hub.close()
        self._wakeups.stop()
        self._stop.set()
        self._flush(now=True)
        self._leave()

    def _leave(self) -> None:
        # Wait for the last heartbeat, which would register this process again.
        self._beating.join(LEAVE_WITHIN_S)
        try:
            self._heart.leave()
        except RedisError as error:
            log.warning("could not withdraw the heartbeat: %s", error)

    def _connected(self, run: str) -> None:
        """Check the data after a (re)connection, since Redis may have come back with other data."""
        try:
            claim_formats(self._container.redis, self._settings)
        except UnknownDataVersion as why:
            log.critical("the API stops: %s", why)
            os._exit(WORKER_BOOT_ERROR)
        self._container.index.connected(run)
        self._container.referee.forget()

    def _tell_counts(self) -> None:
        while not self._stop.wait(COUNTS_S):
            try:
                call_each(self._periodic)
                self._flush()
            except Exception:
                # Losing counts must not end the thread.
                log.exception("could not store the counts")

    def _renew_leases(self) -> None:
        while not self._stop.wait(RENEW_S):
            try:
                self._container.idempotency.renew()
            except RedisError as error:
                log.warning("could not renew the leases of idempotency keys: %s", error)

    def _flush(self, *, now: bool = False) -> None:
        self._refusals.flush(now=now)
        try:
            self._container.statistics.flush()
        except RedisError as error:
            log.warning("could not store the counts of refused moves; trying again: %s", error)

    def _beat(self) -> None:
        while True:
            try:
                self._guard.keep()
                credited = self._heart.heartbeat()
                if credited >= WORTH_A_WARNING_MS:
                    log.warning(
                        "no API process served for a while; credited %d ms to every running clock", credited
                    )
                state = self._container.service.keep()
                self._container.hub.announce(state.decision, state.state)
            except RedisError as error:
                log.warning("the heartbeat did not reach Redis: %s", error)
                credited = 0
            if self._stop.wait(IDLE_BEAT_S if credited < 0 else BEAT_S):
                return


def call_each(periodic: Sequence[Callable[[], object]]) -> None:
    """Call all of these, whichever needs an absent Redis."""
    for call in periodic:
        try:
            call()
        except RedisError as error:
            log.warning("could not exchange counts with Redis; trying again: %s", error)
