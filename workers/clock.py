"""The deadline loop: a process of its own that does what is due, whether anybody calls or not.

A pass settles matches whose time is up, hands what the outboxes say to its handlers, and every second starts
scheduled rounds and looks after those that nobody works on. Everything it does may be done twice, so any
number of loops may run; one match's trouble is logged and stops nobody else's.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from redis.exceptions import ConnectionError as RedisGone
from redis.exceptions import TimeoutError as RedisSilent

from referee.referee import Referee
from referee.storage.store import MatchStore

AT_A_TIME: Final = 128
"""How many matches and outbox entries of a bucket one pass takes."""
SCHEDULES_EVERY_S: Final = 1.0
PAUSE_S: Final = 0.5
"""How long to wait before the next try when a pass failed as a whole (Redis is away)."""

log = logging.getLogger(__name__)


class OutboxEntry(NamedTuple):
    """What is to be done after a commit."""

    kind: str
    match: str
    version: int

    @classmethod
    def parse(cls, text: str) -> OutboxEntry:
        """`kind match version`."""
        kind, match, version = text.split(" ")
        return cls(kind, match, int(version))

    def __str__(self) -> str:
        return f"{self.kind} {self.match} {self.version}"


Handler = Callable[[Sequence[OutboxEntry]], None]
"""Does what these entries of one kind say; safe to do again. If it raises, each is tried by itself."""


class Pass(NamedTuple):
    """What a pass did. `full`: there was more than one pass takes."""

    settled: int
    relayed: int
    failed: int
    full: bool


class HouseRelay:
    """The handler of `house` entries: a job for each match whose house bots are still to be asked. An entry that
    the match has gone past is obsolete: whoever went on has written another, or had nothing to leave."""

    def __init__(self, store: MatchStore, enqueue: Callable[[str, int], None]) -> None:
        """`enqueue` takes a match and its version (`workers.queue.JobQueue.play_house`)."""
        self._store = store
        self._enqueue = enqueue

    def __call__(self, entries: Sequence[OutboxEntry]) -> None:
        """See `Handler`."""
        found = self._store.read([entry.match for entry in entries])
        for entry, snapshot in zip(entries, found, strict=True):
            if snapshot is not None and not snapshot.finished and snapshot.version == entry.version:
                self._enqueue(entry.match, entry.version)


class DeadlineLoop:
    """See the module."""

    def __init__(
        self,
        referee: Referee,
        relay: Mapping[str, Handler],
        schedules: Callable[[], object] | None = None,
        *,
        tick_ms: int = 100,
        looked: Callable[[], object] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`relay` has the handler of each kind of outbox entry (`index`, `house`); `schedules` is called every
        second (`league.rounds.Rounds.tick`), `looked` after each pass that did not fail as a whole."""
        self._referee = referee
        self._relay = relay
        self._schedules = schedules
        self._tick_s = tick_ms / 1000
        self._looked = looked
        self._monotonic = monotonic
        self._schedules_at = monotonic()
        self._failures: dict[str, int] = {}

    def tick(self) -> Pass:
        """One pass. Raises only what keeps the store from telling what is due."""
        settled = relayed = failed = 0
        full = False
        entries: list[OutboxEntry] = []
        for due in self._referee.store.due(self._referee.times.settle_ms, AT_A_TIME):
            full = full or len(due.matches) >= AT_A_TIME or len(due.outbox) >= AT_A_TIME
            for match in due.matches:
                if self._tried(match, self._referee.settle, match):
                    settled += 1
                else:
                    failed += 1
            entries += map(OutboxEntry.parse, due.outbox)
        for kind in dict.fromkeys(entry.kind for entry in entries):
            of_kind = list(dict.fromkeys(entry for entry in entries if entry.kind == kind))
            done = self._handled(kind, of_kind)
            self._referee.store.done([str(entry) for entry in done])
            relayed += len(done)
            failed += len(of_kind) - len(done)
        if self._schedules is not None and self._monotonic() >= self._schedules_at:
            self._schedules_at = self._monotonic() + SCHEDULES_EVERY_S
            self._tried("schedules", self._schedules)
        # What failed comes again: without a pause that would be at once, for ever.
        return Pass(settled, relayed, failed, full and not failed)

    def run(self, stop: threading.Event) -> None:
        """Passes, one every `tick_ms` (at once while there is more to do), until told to stop."""
        trouble = 0
        while not stop.is_set():
            began = self._monotonic()
            try:
                found = self.tick()
                self._looked()
            except Exception as error:
                if trouble == 0:
                    log.error("the deadline loop can't look: %s; it keeps trying", error)
                trouble += 1
                stop.wait(PAUSE_S)
                continue
            if trouble:
                log.warning("the deadline loop looks again, after %s tries", trouble)
                trouble = 0
            if not found.full:
                stop.wait(max(0.0, self._tick_s - (self._monotonic() - began)))

    def _handled(self, kind: str, entries: list[OutboxEntry]) -> list[OutboxEntry]:
        """Those of the entries that are done."""
        handler = self._relay.get(kind)
        if handler is None:
            self._tried(kind, self._unknown, kind)
            return []
        try:
            handler(entries)
        except (RedisGone, RedisSilent):
            raise
        except Exception as error:
            why = type(error).__name__
            log.warning("outbox %s: %s, each of the %s entries by itself", kind, why, len(entries))
        else:
            return entries
        return [entry for entry in entries if self._tried(str(entry), handler, [entry])]

    def _tried(self, what: str, do: Callable[..., object], *args: object) -> bool:
        """Whether it could be done. What fails again and again is logged at its 1st, 2nd, 4th, … time. Raises only
        that Redis is away, which is nobody's own trouble."""
        try:
            do(*args)
        except (RedisGone, RedisSilent):
            raise
        except Exception:
            if len(self._failures) > 10_000:
                self._failures.clear()
            times = self._failures[what] = self._failures.get(what, 0) + 1
            if times & (times - 1) == 0:
                log.exception("deadline loop: %s failed, %s times so far", what, times)
            return False
        self._failures.pop(what, None)
        return True

    @staticmethod
    def _unknown(kind: str) -> None:
        raise LookupError(f"nobody handles outbox entries of the kind {kind!r}")
