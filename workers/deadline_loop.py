"""The deadline loop: a process of its own that applies expired deadlines and relays the outboxes.

Each pass applies timeouts to matches, passes outbox entries to their handlers, and once a second starts scheduled
rounds and wakes workers for rounds without one. All of this may be repeated, so several loops may run. The failure of
one match is logged and stops no other. Nor does a master of a cluster that lacks replicas stop the rest of a pass.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Final, NamedTuple

from redis.exceptions import ConnectionError as RedisGone
from redis.exceptions import TimeoutError as RedisSilent

from redisio.errors import NotReplicated
from referee.feed import Feed
from referee.referee import Referee
from referee.storage.redis import RedisMatchStore
from referee.timings import IDLE_TICK_MS, TICK_MS
from workers.stop_request import StopRequest
from workers.turns import HouseTurn

AT_A_TIME: Final = 128
"""How many matches, and how many outbox entries, of a bucket one pass takes."""
TOGETHER: Final = 32
"""How many timeouts are committed together. With more, the first ones would wait for the moves of all house bots."""
SCHEDULES_EVERY_S: Final = 1.0
LEAST_WAIT_S: Final = 0.02
"""The shortest delay between two passes, unless more is due than one pass takes."""
PAUSE_S: Final = 0.5
"""The delay after a pass that failed as a whole, because Redis is away."""

log = logging.getLogger(__name__)


class OutboxEntry(NamedTuple):
    """A task that a commit left in its outbox."""

    kind: str
    match: str
    version: int

    @classmethod
    def parse(cls, text: str) -> OutboxEntry:
        """Return the entry of a text `kind match version`."""
        kind, match, version = text.split(" ")
        return cls(kind, match, int(version))

    def __str__(self) -> str:
        return f"{self.kind} {self.match} {self.version}"


Handler = Callable[[Sequence[OutboxEntry]], None]
"""Handles entries of one kind and may be repeated. If it raises, it is called for each entry alone."""


class Pass(NamedTuple):
    settled: int
    relayed: int
    failed: int
    full: bool
    """Whether more was due than one pass takes."""
    wait_ms: int | None = None
    """The time until the next match is due, if its deadline is known."""
    idle: bool = False
    """Whether no deadline is set and no outbox has an entry."""


class HouseRelay:
    """The handler of `house` entries: enqueues a job for each match whose house bots are to move. It skips an entry
    of an older version of a match: if house bots still have to move, the later commit has its own entry."""

    def __init__(self, store: RedisMatchStore, enqueue: Callable[[HouseTurn, int], None]) -> None:
        """`enqueue` takes the turn of a match and its version (`workers.queue.JobQueue.play_house`)."""
        self._store = store
        self._enqueue = enqueue

    def __call__(self, entries: Sequence[OutboxEntry]) -> None:
        """Enqueue a job for each current entry."""
        found = self._store.read([entry.match for entry in entries])
        for entry, snapshot in zip(entries, found, strict=True):
            if snapshot is not None and not snapshot.finished and snapshot.version == entry.version:
                self._enqueue(HouseTurn.of(snapshot.config), entry.version)


class FeedRelay:
    """The handler of `index` entries: feeds the matches that the process of their commit has not fed."""

    def __init__(self, referee: Referee, feed: Feed) -> None:
        self._referee, self._feed = referee, feed

    def __call__(self, entries: Sequence[OutboxEntry]) -> None:
        """Load the matches of these entries and feed them. Safe to repeat."""
        loaded = self._referee.look_at(list(dict.fromkeys(entry.match for entry in entries)))
        self._feed([match for match in loaded if match is not None])


class DeadlineLoop:
    """The loop of the clock process."""

    def __init__(
        self,
        referee: Referee,
        relay: Mapping[str, Handler],
        schedules: Callable[[], object] | None = None,
        *,
        patience_s: Mapping[str, float] = MappingProxyType({}),
        tick_ms: int = TICK_MS,
        after_pass: Callable[[], object] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`relay` has the handler of each kind of outbox entry (`index`, `house`). `schedules` is called every second
        (`workers.periodic.PeriodicWork`), `after_pass` after each pass that did not fail as a whole. `patience_s` has,
        by kind, how long the loop leaves an entry to the process that committed it and usually handles it itself."""
        self._referee = referee
        self._relay = relay
        self._patience_s = patience_s
        self._met: dict[OutboxEntry, float] = {}
        """When the loop met the entries that are in the outboxes, by the monotonic clock."""
        self._schedules = schedules
        self._tick_s = tick_ms / 1000
        self._after_pass = after_pass
        self._monotonic = monotonic
        self._schedules_at = monotonic()
        self._failures: dict[str, int] = {}

    def tick(self) -> Pass:
        """Run one pass. Raise only what prevents the store from listing what is due."""
        settled = relayed = failed = 0
        full = False
        overdue: list[str] = []
        entries: list[OutboxEntry] = []
        waits: list[int] = []
        met: dict[OutboxEntry, float] = {}
        for due in self._referee.store.due(self._referee.times.settle_ms, AT_A_TIME):
            if due.wait_ms is not None:
                waits.append(due.wait_ms)
            ripe = self._ripe(map(OutboxEntry.parse, due.outbox), met)
            full = full or len(due.matches) >= AT_A_TIME or len(ripe) >= AT_A_TIME
            overdue += due.matches
            entries += ripe
        self._met = met
        for start in range(0, len(overdue), TOGETHER):
            matches = overdue[start : start + TOGETHER]
            applied = 0
            with suppress(NotReplicated):  # one master lacks replicas: the next pass tries again
                applied = self._applied(matches)
            settled += applied
            failed += len(matches) - applied
        for kind in dict.fromkeys(entry.kind for entry in entries):
            same_kind = list(dict.fromkeys(entry for entry in entries if entry.kind == kind))
            done: list[OutboxEntry] = []
            with suppress(NotReplicated):
                done = self._handled(kind, same_kind)
            self._referee.store.done([str(entry) for entry in done])
            relayed += len(done)
            failed += len(same_kind) - len(done)
        if self._schedules is not None and self._monotonic() >= self._schedules_at:
            self._schedules_at = self._monotonic() + SCHEDULES_EVERY_S
            self._tried("schedules", self._schedules)
        # Failed entries come again; without a pause the loop would spin.
        idle = not (overdue or waits or met)
        return Pass(settled, relayed, failed, full and not failed, min(waits, default=None), idle)

    def run(self, stop: StopRequest) -> None:
        """Run a pass every `tick_ms`, when the next match is due, and at once while more is due, until `stop` is
        set. While nothing waits, run one every `IDLE_TICK_MS`."""
        trouble = 0
        while not stop.is_set():
            began = self._monotonic()
            try:
                done = self.tick()
                self._after_pass()
            except Exception as error:
                if trouble == 0:
                    trace = None if isinstance(error, (RedisGone, RedisSilent)) else error
                    log.error("the deadline loop failed: %s; it keeps retrying", error, exc_info=trace)
                trouble += 1
                stop.wait(PAUSE_S)
                continue
            if trouble:
                log.warning("the deadline loop works again after %s failed passes", trouble)
                trouble = 0
            if not done.full:
                stop.wait(self._delay(done, self._monotonic() - began))

    def _delay(self, done: Pass, taken_s: float) -> float:
        """Return the delay before the next pass, after a pass that took `taken_s`, in seconds."""
        delay = (max(self._tick_s, IDLE_TICK_MS / 1000) if done.idle else self._tick_s) - taken_s
        if done.wait_ms is not None and not done.failed:
            delay = min(delay, max(LEAST_WAIT_S, done.wait_ms / 1000 - taken_s))
        return max(0.0, delay)

    def _applied(self, matches: list[str]) -> int:
        """Apply the timeouts of these matches. Return how many did not fail."""
        if self._tried("timeouts", self._referee.apply_all_timeouts, matches):
            return len(matches)
        return sum([self._tried(match, self._referee.apply_timeouts, match) for match in matches])

    def _ripe(self, entries: Iterable[OutboxEntry], met: dict[OutboxEntry, float]) -> list[OutboxEntry]:
        """Return the entries to handle in this pass. Note in `met` when the loop met each."""
        ripe, now = [], self._monotonic()
        for entry in entries:
            since = met[entry] = self._met.get(entry, now)
            if now - since >= self._patience_s.get(entry.kind, 0.0):
                ripe.append(entry)
        return ripe

    def _handled(self, kind: str, entries: list[OutboxEntry]) -> list[OutboxEntry]:
        """Return the entries that were handled."""
        handler = self._relay.get(kind)
        if handler is None:
            self._tried(kind, self._unknown, kind)
            return []
        if self._tried(f"outbox {kind}", handler, entries):
            return entries
        return [entry for entry in entries if self._tried(str(entry), handler, [entry])]

    def _tried(self, what: str, do: Callable[..., object], *args: object) -> bool:
        """Return whether the call succeeded. Repeated failures are logged at the 1st, 2nd, 4th, … time. Raise only if
        Redis is away, which is no single match's failure."""
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
        raise LookupError(f"no handler for outbox entries of the kind {kind!r}")
