"""What an API process runs beside its requests."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from redis.exceptions import RedisError

from league.accounts.idempotency import RENEW_S
from referee.polling.redis import WakeupListener
from referee.storage.redis_data_version import UnknownDataVersion, claim_data

if TYPE_CHECKING:
    from api.limits.refusals import Refusals
    from kozyr.container import Container
    from kozyr.serve.heart import Heart

log = logging.getLogger(__name__)

BEAT_S: Final = 0.15
"""How often an API process says that it serves. Nobody's time is up before that was heard after it, so this is part of
how late the deadline loop may be."""
LEAVE_WITHIN_S: Final = 1.0
"""How long an API process that ends waits for its last heartbeat."""
WORKER_BOOT_ERROR: Final = 3
"""The exit status of a worker for which gunicorn ends as a whole, instead of starting another worker."""
COUNTS_S: Final = 1.0
"""How often an API process writes what moves it refused, looks whether there are refusals to be told of, and takes in
what its metrics are not told."""


class Background:
    """The threads that an API process runs beside its requests."""

    def __init__(
        self,
        container: Container,
        heart: Heart,
        refusals: Refusals,
        looked: Sequence[Callable[[], object]] = (),
    ) -> None:
        """`looked` are called every second."""
        self._container, self._heart, self._refusals, self._looked = container, heart, refusals, looked
        self._wakeups = WakeupListener(container.hub, container.redis, connected=self._connected)
        self._stop = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def start(self) -> None:
        """After the fork: the listener, the sweep, the heartbeat, and what is counted on the way."""
        self._wakeups.start()
        self._beating.start()
        threading.Thread(target=self._tell_counts, name="counts", daemon=True).start()
        threading.Thread(target=self._renew_leases, name="leases", daemon=True).start()

    def close(self) -> None:
        """Answer every waiting poll; the process is about to stop."""
        self._container.hub.close()
        self._wakeups.stop()
        self._stop.set()
        self._flush(now=True)
        self._leave()

    def _leave(self) -> None:
        # After its last heartbeat, which would enter this process again.
        self._beating.join(LEAVE_WITHIN_S)
        try:
            self._heart.leave()
        except RedisError as error:
            log.warning("the last heartbeat could not be taken back: %s", error)

    def _connected(self, run: str) -> None:
        """Redis is there, at first or again, perhaps with other data."""
        try:
            claim_data(self._container.redis)
        except UnknownDataVersion as why:
            log.critical("the API ends: %s", why)
            os._exit(WORKER_BOOT_ERROR)
        self._container.index.connected(run)

    def _tell_counts(self) -> None:
        while not self._stop.wait(COUNTS_S):
            try:
                for look in self._looked:
                    look()
                self._flush()
            except Exception:
                # Counts are worth less than what goes on beside them: say so, and go on counting.
                log.exception("what was counted could not be told")

    def _renew_leases(self) -> None:
        while not self._stop.wait(RENEW_S):
            try:
                self._container.idempotency.renew()
            except RedisError as error:
                log.warning("the leases of idempotency keys could not be renewed: %s", error)

    def _flush(self, *, now: bool = False) -> None:
        self._refusals.flush(now=now)
        try:
            self._container.statistics.flush()
        except RedisError as error:
            log.warning("what moves were refused was not written, and is held: %s", error)

    def _beat(self) -> None:
        while True:
            try:
                credited = self._heart.beat()
                if credited:
                    log.warning(
                        "nobody served for a while; every running clock was given back %d ms", credited
                    )
                standing = self._container.service.keep()
                self._container.hub.announce(standing.decision, standing.state)
            except RedisError as error:
                log.warning("the heartbeat could not reach Redis: %s", error)
            if self._stop.wait(BEAT_S):
                return
