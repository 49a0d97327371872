"""The matches that this process committed last, so that the next move need not read them first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from referee.match.loaded_match import LoadedMatch
from referee.match.session import Status
from referee.match.snapshot import Snapshot

CAPACITY: Final = 4096
"""The most matches that are remembered; the least recently committed one is dropped first."""


class RecentMatches:
    """Running matches as they were right after their last commit by this process.

    Another process may have committed since: what is planned on them has to be verified by the commit.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._matches: OrderedDict[str, tuple[LoadedMatch, float]] = OrderedDict()
        self._shared: set[str] = set()

    def keep(self, live: LoadedMatch) -> None:
        """Remember a match right after its commit."""
        self._matches.pop(live.id, None)
        if live.progress.status is Status.RUNNING:
            self._matches[live.id] = (live, self._monotonic())
            if len(self._matches) > CAPACITY:
                self._shared.discard(self._matches.popitem(last=False)[0])
        else:
            self._shared.discard(live.id)

    def note(self, match: str, *, shared: bool) -> None:
        """Note whether another process had committed the match since this one did."""
        if shared and match in self._matches:
            self._shared.add(match)
        else:
            self._shared.discard(match)

    def is_shared(self, match: str) -> bool:
        """Return whether another process had committed the match when this one last relied on its memory."""
        return match in self._shared

    def snapshot(self, match: str) -> Snapshot | None:
        """Return the match at the present service time, by the time that has passed here since its commit."""
        found = self._matches.get(match)
        if found is None:
            return None
        live, at = found
        return Snapshot(
            now=live.now + int((self._monotonic() - at) * 1000),
            version=live.version,
            config=live.config,
            progress=live.progress,
            asked=live.asked,
            deadline=live.deadline,
            secret=live.secret,
            log=live.log,
        )
