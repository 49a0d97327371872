"""What an API process runs beside its requests."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from redis.exceptions import RedisError

from league.idempotency import RENEW_S
from referee.redis_wakeups import Wakeups
from referee.wakeups import Hub

if TYPE_CHECKING:
    from api.refusals import Refusals
    from kozyr.wiring import Parts
    from league.idempotency import Idempotency

log = logging.getLogger(__name__)

BEAT_S: Final = 0.15
"""How often an API process says that it serves. Nobody's time is up before that was heard after it, so this is part of
how late the deadline loop may be."""
COUNTS_S: Final = 1.0
"""How often an API process writes what moves it refused, looks whether there are refusals to be told of, and takes in
what its metrics are not told."""


class Background:
    """See the module."""

    def __init__(
        self,
        parts: Parts,
        hub: Hub,
        refusals: Refusals,
        idempotency: Idempotency,
        looked: Callable[[], object] = lambda: None,
    ) -> None:
        """`looked` is called every second."""
        self._idempotency = idempotency
        self.parts, self.hub, self._refusals, self._looked = parts, hub, refusals, looked
        self._wakeups = Wakeups(hub, parts.redis, connected=parts.index.connected)
        self._stop = threading.Event()

    def start(self) -> None:
        """After the fork: the listener, the sweep, the heartbeat, and what is counted on the way."""
        self._wakeups.start()
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()
        threading.Thread(target=self._tell_counts, name="counts", daemon=True).start()
        threading.Thread(target=self._renew_leases, name="leases", daemon=True).start()

    def close(self) -> None:
        """Answer every waiting poll; the process is about to stop."""
        self.hub.close()
        self._wakeups.stop()
        self._stop.set()
        self._flush(now=True)

    def _tell_counts(self) -> None:
        while not self._stop.wait(COUNTS_S):
            try:
                self._looked()
                self._flush()
            except Exception:
                # Counts are worth less than what goes on beside them: say so, and go on counting.
                log.exception("what was counted could not be told")

    def _renew_leases(self) -> None:
        while not self._stop.wait(RENEW_S):
            try:
                self._idempotency.renew()
            except RedisError as error:
                log.warning("the leases of idempotency keys could not be renewed: %s", error)

    def _flush(self, *, now: bool = False) -> None:
        self._refusals.flush(now=now)
        try:
            self.parts.conduct.flush()
        except RedisError as error:
            log.warning("what moves were refused was not written, and is held: %s", error)

    def _beat(self) -> None:
        while True:
            try:
                credited = self.parts.store.beat()
                if credited:
                    log.warning(
                        "nobody served for a while; every running clock was given back %d ms", credited
                    )
                standing = self.parts.service.keep()
                self.hub.announce(standing.decision, standing.state)
            except RedisError as error:
                log.warning("the heartbeat could not reach Redis: %s", error)
            if self._stop.wait(BEAT_S):
                return
