"""Match sessions with the house bots, the random numbers and the cached states of one process.

A cache of deal states, so that a step replays only the moves made since the last one.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple

from engine.match import MatchState
from records.match.loaded_match import LoadedMatch
from records.match.log import parse_log
from records.match.players import Players
from records.match.session import MatchSession, Status, match_of, replay, resume
from referee.timings import RefereeTimings

CAPACITY: Final = 4096
"""The most matches that are remembered; the least recently committed one is dropped first."""
KEPT_S: Final = 60.0
"""How long a match and its state are remembered after their last use, in seconds. Another process may have played the
match to its end."""


class RecentMatches:
    """Running matches as they were right after their last commit by this process.

    Another process may have committed since: what is planned on them has to be verified by the commit.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._matches: OrderedDict[str, tuple[LoadedMatch, float]] = OrderedDict()

    def keep(self, loaded: LoadedMatch) -> None:
        self._matches.pop(loaded.id, None)
        if loaded.progress.status is Status.RUNNING:
            now = self._monotonic()
            self._matches[loaded.id] = (loaded, now)
            while len(self._matches) > CAPACITY or next(iter(self._matches.values()))[1] < now - KEPT_S:
                self._matches.popitem(last=False)

    def clear(self) -> None:
        """Forget all matches, because the store may have lost commits."""
        self._matches.clear()

    def recall(self, match: str) -> LoadedMatch | None:
        """Return the match at the present service time, by the time that has passed here since its commit."""
        found = self._matches.get(match)
        if found is None:
            return None
        loaded, at = found
        return loaded._replace(now=loaded.now + int((self._monotonic() - at) * 1000))


class _CachedState(NamedTuple):
    number: int
    """The number of the deal."""
    log: str
    state: MatchState
    """The state after the log."""
    used: float
    """When it was last used, by the monotonic clock."""


class StateCache:
    """The last known state of each match, with the deal and the log that lead to it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._states: OrderedDict[str, _CachedState] = OrderedDict()

    def state(self, snapshot: LoadedMatch) -> MatchState:
        """Return the state after the snapshot's log, replaying only what the cached state lacks."""
        progress, log = snapshot.progress, snapshot.log
        match = match_of(snapshot.config, progress.first_dealer or 0)
        cached = self._states.get(snapshot.config.id)
        if cached is not None and _leads_to(cached, snapshot):
            state = replay(match, cached.state, parse_log(log[len(cached.log) :]))
        else:
            state = resume(match, progress, log)
        if log:  # a match without a log may be a draft that is never committed
            self.remember(snapshot.config.id, progress.number, log, state)
        return state

    def remember(self, match: str, number: int, log: str, state: MatchState) -> None:
        """Cache the state after `log`, the log of deal `number`."""
        now = self._monotonic()
        self._states.pop(match, None)
        self._states[match] = _CachedState(number, log, state, now)
        while len(self._states) > CAPACITY or next(iter(self._states.values())).used < now - KEPT_S:
            self._states.popitem(last=False)

    def forget(self, match: str) -> None:
        self._states.pop(match, None)


def _leads_to(cached: _CachedState, snapshot: LoadedMatch) -> bool:
    """Return whether the moves that the cached state lacks lead to the snapshot.

    A store that lost commits may hold another history of the match, with the same deal after other deals.
    """
    progress = snapshot.progress
    return (
        cached.number == progress.number
        and snapshot.log.startswith(cached.log)
        and (cached.state.dealer, cached.state.scores) == (progress.dealer, progress.scores)
    )


class Sessions:
    """Opens match sessions on snapshots."""

    def __init__(
        self, players: Players, rng: Random, timings: RefereeTimings, monotonic: Callable[[], float]
    ) -> None:
        """`monotonic` measures the time that moves and house bots take, in seconds."""
        self.players, self.rng, self.timings, self.monotonic = players, rng, timings, monotonic
        self.states = StateCache(monotonic)

    def open(self, snapshot: LoadedMatch) -> MatchSession:
        """Return a working copy of a running match."""
        config = snapshot.config

        def deck(number: int) -> Sequence[int]:
            return config.deck(snapshot.secret, number)

        return MatchSession(
            config,
            snapshot.progress,
            self.states.state(snapshot) if snapshot.state is None else snapshot.state,
            log=snapshot.log,
            deck=deck,
            players=self.players,
            rng=self.rng,
        )
