"""Expired deadlines: applied before every look at a match and before every change of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from records.match.loaded_match import LoadedMatch
from records.match.session import Status
from referee.errors import Busy
from referee.running import steps
from referee.running.sessions import Sessions
from referee.running.starting import MatchStarter
from referee.running.writer import MatchWriter
from referee.storage.index import NOTHING_KNOWN, KnownPlace
from referee.storage.store import Commit

ATTEMPTS: Final = 64
"""How often a writer tries a step that other writers overtake."""


class TimeoutApplier:
    """Reads and changes matches after applying their expired deadlines, so that nothing depends on who looks."""

    def __init__(self, writer: MatchWriter, sessions: Sessions, starter: MatchStarter) -> None:
        self.writer, self.sessions, self.starter, self._timings = writer, sessions, starter, sessions.timings

    def overdue(self, snapshot: LoadedMatch, margin: int) -> Commit | None:
        """Return the commit of an expired deadline: a timeout, a start or an abort, or the next job for house bots.

        `None` if deadline and grace haven't passed by `margin` ms.
        """
        if not snapshot.is_overdue(margin):
            return None
        if snapshot.progress.status is not Status.RUNNING:
            return self.starter.no_show(snapshot)
        session, seat = self.sessions.open(snapshot), snapshot.progress.to_move
        if seat is not None and (snapshot.config.is_house(seat) or seat in snapshot.progress.forfeits):
            return steps.house_asked_again(snapshot, session, self._timings)
        return steps.timed_out(snapshot, session, self._timings)

    def apply_timeouts(self, match: str) -> LoadedMatch | None:
        """Apply the match's expired deadlines, if any: a timeout, an abort, or the next job for house bots.

        Safe to call any number of times. `None` for an id that no match has.
        """
        (loaded,) = self.apply_all([match])
        return loaded

    def apply_all(self, matches: Sequence[str]) -> list[LoadedMatch | None]:
        """Apply the expired deadlines of several matches like `apply_timeouts`, in two round trips unless other writers
        overtake them. Where `apply_timeouts` would raise for one of them, all may be left as they are."""
        found: dict[str, LoadedMatch | None] = {}
        left = list(dict.fromkeys(matches))
        while left:
            commits: list[Commit] = []
            for match, snapshot in zip(left, self.writer.store.read(left), strict=True):
                commit = None if snapshot is None else self.overdue(snapshot, self._timings.settle_ms)
                if commit is not None:
                    commits.append(commit)
                else:
                    found[match] = None if snapshot is None else self.writer.load(snapshot)
            made = self.writer.commit(commits)
            found |= {loaded.id: loaded for loaded in made if loaded is not None}
            left = [commit.match for commit in commits if commit.match not in found]
        return [found[match] for match in matches]

    def look(self, match: str, seen: LoadedMatch | None = None) -> LoadedMatch:
        """Return the match after applying expired deadlines. Raises `NoSuchMatch` or `MatchUnreadable`."""
        snapshot = self.writer.read(match) if seen is None else seen
        if snapshot.is_overdue(self._timings.settle_ms):
            loaded = self.apply_timeouts(match)
            assert loaded is not None
            return loaded
        return self.writer.load(snapshot)

    def look_at(
        self,
        matches: Sequence[str],
        since: int | None = None,
        known: Mapping[str, KnownPlace] = NOTHING_KNOWN,
    ) -> list[LoadedMatch | None]:
        """Return several matches like `look`; `None` for those that don't exist or can't be read. `since` and `known`
        are those of `RedisMatchStore.read`."""
        return [
            None if snapshot is None else self.look(match, snapshot)
            for match, snapshot in zip(matches, self.writer.store.read(matches, since, known), strict=True)
        ]

    def change(self, match: str, step: Callable[[LoadedMatch], Commit | None]) -> LoadedMatch:
        """Commit a step, and read and decide again while other writers overtake it. `None` changes nothing.

        Raises `NoSuchMatch`, `MatchUnreadable`, `Busy`, and what `step` raises.
        """
        for _ in range(ATTEMPTS):
            snapshot = self.writer.read(match)
            if snapshot.is_overdue(self._timings.settle_ms):
                self.apply_timeouts(match)
                continue
            commit = step(snapshot)
            if commit is None:
                return self.writer.load(snapshot)
            loaded = self.writer.commit_one(commit)
            if loaded is not None:
                return loaded
        raise Busy("the match changed too many times meanwhile; send the request again")
