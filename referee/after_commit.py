"""Hooks that run after a commit. An exception in one never replaces the response to a committed change.

Other parts repair what fails here: the outboxes feed indexes, the clock creates matches and wakes rounds, and clients
ask for their turns again.
"""

from __future__ import annotations

import enum
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Final, TypeVar

log = logging.getLogger(__name__)

SILENCE_S: Final = 10.0
"""The log gets at most one line per hook and exception type in this many seconds."""

T = TypeVar("T")
P = TypeVar("P")


class AfterCommitStep(enum.StrEnum):
    """A step that runs after a commit. It labels the metric and the log line of its failures."""

    FEED = "feed"
    """Indexes, groups, ladders, ratings, and the relay that empties the outbox."""
    OTHER_MOVES = "other_moves"
    """The other moves of a request that has made some."""
    MATCHES = "matches"
    """The matches of a new group."""
    ROUND = "round"
    """Due times of a ladder, the job of a new round, and the end of a closing ladder."""
    METRICS = "metrics"
    STATISTICS = "statistics"
    """The statistics that a bot's owner reads."""
    FACTS = "facts"
    """What a bot reports about its moves."""
    CHECK = "check"
    """The faults of a conformance check."""
    RATES = "rates"
    PRESENCE = "presence"
    NEXT = "next"
    """The next turn of the match, in the response to a move."""
    POLL = "poll"
    """Open turns and finished matches, in the response to many moves."""
    VIEW = "view"
    """Additions to the response: whether the match is masked, the length of a queue, a name."""
    REPLAY = "replay"
    """The response kept for an `Idempotency-Key`."""
    AUDIT = "audit"
    """The outcome of an action in the audit log."""
    LOG = "log"


class AfterCommit:
    """Runs hooks, logs and counts their failures. Safe to share between greenlets and threads."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.failures: Counter[AfterCommitStep] = Counter()
        """Failures in this process, by hook."""
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._logged: dict[tuple[AfterCommitStep, str], float] = {}
        self._silent: Counter[tuple[AfterCommitStep, str]] = Counter()

    def run(
        self,
        hook: AfterCommitStep,
        call: Callable[[], T],
        otherwise: T,
        *,
        passing: tuple[type[Exception], ...] = (),
        committed: bool = True,
    ) -> T:
        """Return the result of `call`, or `otherwise` if it raises.

        Exceptions of the types in `passing` propagate, and all of them if nothing was `committed`.
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

    def run_steps(
        self,
        hook: AfterCommitStep,
        call: Callable[[], Generator[P, None, T]],
        otherwise: T,
        *,
        committed: bool = True,
    ) -> Generator[P, None, T]:
        """Do the same as `run` for a call that pauses, with its pauses."""
        if not committed:
            return (yield from call())
        try:
            return (yield from call())
        except Exception as error:
            self._note(hook, error)
            return otherwise

    def _note(self, hook: AfterCommitStep, error: Exception) -> None:
        key = (hook, type(error).__name__)
        with self._lock:
            self.failures[hook] += 1
            now = self._monotonic()
            if now - self._logged.get(key, -SILENCE_S) < SILENCE_S:
                self._silent[key] += 1
                return
            self._logged[key] = now
            silent = self._silent.pop(key, 0)
        with suppress(Exception):  # a failing log must not cost the response either
            log.error("%s failed after a commit; %d more since the last line", hook, silent, exc_info=error)
