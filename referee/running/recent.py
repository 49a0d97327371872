"""The matches that this process committed last, so that the next move need not read them first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from engine.match import MatchState
from records.match.loaded_match import LoadedMatch
from records.match.session import Status
from records.match.snapshot import Snapshot

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

    def recall(self, match: str) -> tuple[Snapshot, MatchState | None] | None:
        """Return the match at the present service time, by the time that has passed here since its commit, and the
        state of its deal."""
        found = self._matches.get(match)
        if found is None:
            return None
        loaded, at = found
        now = loaded.now + int((self._monotonic() - at) * 1000)
        # In the order of the fields: keywords would take twice as long.
        snapshot = Snapshot(
            now,
            loaded.version,
            loaded.config,
            loaded.progress,
            loaded.asked,
            loaded.deadline,
            loaded.secret,
            loaded.log,
        )
        return snapshot, loaded.state
