"""What runs after a commit, guarded: no exception in it costs a committed change its response.

Whatever fails here is made up for later: the outboxes feed indexes, the clock makes matches and wakes rounds, and a
client asks for its turns again.
"""

from __future__ import annotations

import enum
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

log = logging.getLogger(__name__)

SILENCE_S: Final = 10.0
"""The log has at most one line per hook and type of exception in this time."""

T = TypeVar("T")


class Hook(enum.StrEnum):
    """A step that runs after a commit. It labels the metric and the log line of its failures."""

    FEED = "feed"
    """Indexes, groups, ladders, ratings, and the relay that empties the outbox."""
    OTHER_MOVES = "other_moves"
    """The next attempt at the moves of a request that another writer overtook."""
    MATCHES = "matches"
    """The matches of a new group."""
    ROUND = "round"
    """Due times of a ladder, the job of a new round, and the end of a closing ladder."""
    METRICS = "metrics"
    STATISTICS = "statistics"
    """The statistics that a bot's owner reads."""
    CHECK = "check"
    """The faults of a conformance check."""
    RATES = "rates"
    PRESENCE = "presence"
    NEXT = "next"
    """The next turn of the match, in the response to a move."""
    POLL = "poll"
    """Open turns and finished matches, in the response to many moves."""
    VIEW = "view"
    """What the response adds to the change: who is masked, a queue's length, a name."""
    REPLAY = "replay"
    """The response kept for an `Idempotency-Key`."""
    AUDIT = "audit"
    """The outcome of an action in the audit log."""
    LOG = "log"


class AfterCommit:
    """Runs hooks, logs and counts their failures. Safe to share between greenlets and threads."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.failures: Counter[Hook] = Counter()
        """Failures by hook, in this process."""
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._logged: dict[tuple[Hook, str], float] = {}
        self._silent: Counter[tuple[Hook, str]] = Counter()

    def run(
        self,
        hook: Hook,
        call: Callable[[], T],
        otherwise: T,
        *,
        passing: tuple[type[Exception], ...] = (),
        committed: bool = True,
    ) -> T:
        """Return what `call` returns, or `otherwise` if it raises.

        Exceptions in `passing` are raised, and all of them where nothing was `committed`.
        """
        if not committed:
            return call()
        try:
            return call()
        except passing:
            raise
        except Exception as error:
            self._note(hook, error)
            return otherwise

    def _note(self, hook: Hook, error: Exception) -> None:
        key = (hook, type(error).__name__)
        with self._lock:
            self.failures[hook] += 1
            now = self._monotonic()
            if now - self._logged.get(key, -SILENCE_S) < SILENCE_S:
                self._silent[key] += 1
                return
            self._logged[key] = now
            silent = self._silent.pop(key, 0)
        with suppress(Exception):  # a log that can't be written is no reason either
            log.error("%s failed after a commit; %d more since the last line", hook, silent, exc_info=error)
