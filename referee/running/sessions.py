"""Match sessions with the house bots, the random numbers and the known matches of one process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from engine.match import MatchState
from records.match.loaded_match import LoadedMatch
from records.match.log import parse_log
from records.match.players import Players
from records.match.session import MatchSession, Status, match_of, replay, resume
from referee.timings import RefereeTimings

CAPACITY: Final = 4096
"""The most matches that are remembered; the least recently used one is dropped first."""
KEPT_S: Final = 60.0
"""How long a match is remembered after it was last read or committed, in seconds. Another process may have played it to
its end."""


class KnownMatches:
    """Running matches as this process last read or committed them, with their states, so that a step replays only the
    moves made since.

    Another process may have committed since: what is planned on them has to be verified by the commit.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._matches: OrderedDict[str, tuple[LoadedMatch, float]] = OrderedDict()

    def keep(self, loaded: LoadedMatch) -> None:
        """Remember a match with its state. Forget one that does not run."""
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
        """Return the match at the present service time, by the time that has passed here since."""
        found = self._matches.get(match)
        if found is None:
            return None
        loaded, at = found
        return loaded._replace(now=loaded.now + int((self._monotonic() - at) * 1000))

    def with_state(self, snapshot: LoadedMatch) -> LoadedMatch:
        """Return a running match with its state, and remember it unless it is a draft, which may never be committed."""
        if snapshot.state is not None:
            return snapshot
        progress, log = snapshot.progress, snapshot.log
        match = match_of(snapshot.config, progress.first_dealer or 0)
        known, _ = self._matches.get(snapshot.id, (None, 0.0))
        if known is not None and known.state is not None and _leads_to(known, known.state, snapshot):
            state = replay(match, known.state, parse_log(log[len(known.log) :]))
        else:
            state = resume(match, progress, log)
        loaded = snapshot._replace(state=state)
        if snapshot.version:
            self.keep(loaded)
        return loaded


def _leads_to(known: LoadedMatch, state: MatchState, snapshot: LoadedMatch) -> bool:
    """Return whether the moves that the known match and its state lack lead to the snapshot.

    A store that lost commits may hold another history of the match, with the same deal after other deals.
    """
    progress = snapshot.progress
    return (
        known.progress.number == progress.number
        and snapshot.log.startswith(known.log)
        and (state.dealer, state.scores) == (progress.dealer, progress.scores)
    )


class Sessions:
    """Opens match sessions on snapshots."""

    def __init__(
        self, players: Players, rng: Random, timings: RefereeTimings, monotonic: Callable[[], float]
    ) -> None:
        """`monotonic` measures the time that moves and house bots take, in seconds."""
        self.players, self.rng, self.timings, self.monotonic = players, rng, timings, monotonic
        self.known = KnownMatches(monotonic)

    def open(self, snapshot: LoadedMatch) -> MatchSession:
        """Return a working copy of a running match."""
        config, state = snapshot.config, self.known.with_state(snapshot).state
        assert state is not None

        def deck(number: int) -> Sequence[int]:
            return config.deck(snapshot.secret, number)

        return MatchSession(
            config,
            snapshot.progress,
            state,
            log=snapshot.log,
            deck=deck,
            players=self.players,
            rng=self.rng,
        )
