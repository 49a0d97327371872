"""Commits of steps: stored, cached and handed to the feed. Also the reads that commits and views share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from records.errors import RefereeError
from records.match import events
from records.match.events import Position
from records.match.loaded_match import LoadedMatch
from records.match.session import Status
from referee.after_commit import AfterCommit, AfterCommitStep
from referee.errors import MatchUnreadable, NoSuchMatch
from referee.running.sessions import KnownMatches
from referee.storage.redis import RedisMatchStore
from referee.storage.store import Commit, Committed, OutboxKind

ChangedMatch = tuple[LoadedMatch, tuple[OutboxKind, ...]]
"""A match after a commit, and the kinds of entries that the commit put into its outbox."""
Changed = Callable[[Sequence[ChangedMatch]], None]
"""Takes the matches of commits that put entries into outboxes."""


class MatchWriter:
    """Makes commits and tells `changed` about those that filled an outbox."""

    def __init__(
        self,
        store: RedisMatchStore,
        known: KnownMatches,
        after_commit: AfterCommit,
        changed: Changed,
    ) -> None:
        self.store, self.after_commit = store, after_commit
        self._known, self._changed = known, changed

    def read(self, match: str) -> LoadedMatch:
        """Return a snapshot of the match. Raises `NoSuchMatch` or `MatchUnreadable`."""
        (snapshot,) = self.store.read([match])
        if snapshot is None:
            raise self.missing(match)
        return snapshot

    def missing(self, match: str) -> RefereeError:
        if match in self.store.unreadable:
            return MatchUnreadable(f"match {match} is stored in a form that this release can't read")
        return NoSuchMatch(f"there is no match {match}")

    def load(self, snapshot: LoadedMatch) -> LoadedMatch:
        """Return the match of a snapshot, with its state if it runs."""
        if snapshot.progress.status is Status.RUNNING:
            return self._known.with_state(snapshot)
        self._known.keep(snapshot)
        return snapshot

    def logs(self, match: LoadedMatch) -> list[str]:
        """Return the logs of all deals up to this snapshot, the deal in progress last."""
        if match.finished:
            return events.deals_of(match.log)
        wanted = match.progress.number - 1
        past = self.store.past(match.config.id)[:wanted] if wanted else []
        if len(past) < wanted:
            # The match has ended since, so its closed deals are now in its final log.
            (snapshot,) = self.store.read([match.config.id])
            past = events.deals_of(snapshot.log)[:wanted] if snapshot is not None else []
        return [*past, match.log]

    def log_after(self, loaded: LoadedMatch, position: Position | None) -> str:
        """Return the match's log after this position, by default all of it, up to `loaded`."""
        start, read, first = (0, 0, 0) if position is None else _place(position)
        if loaded.finished:
            return loaded.log[start + read :]
        end = loaded.progress.number - 1
        if first > end:
            return ""
        past = self.store.past(loaded.id, first, end) if first < end else []
        if len(past) < end - first:
            # The match has ended since, so its closed deals are now in its final log.
            (snapshot,) = self.store.read([loaded.id])
            past = [] if snapshot is None else events.deals_of(snapshot.log[start:])[: end - first]
        return "".join([*past, loaded.log])[read:]

    def commit_one(self, commit: Commit) -> LoadedMatch | None:
        """Make one commit; `None` if another writer overtook it."""
        (loaded,) = self.commit([commit])
        return loaded

    def commit(self, commits: Sequence[Commit]) -> list[LoadedMatch | None]:
        """Make these commits in one round trip; `None` for one that another writer overtook."""
        return [_raised(made) for made in self.commit_each(commits)]

    def commit_each(self, commits: Sequence[Commit]) -> list[LoadedMatch | Exception | None]:
        """Make these commits like `commit`. Return the error of one that may be lost because a part of the store
        failed."""
        if not commits:
            return []
        whole = [self._with_past(commit) for commit in commits]
        return self.take_results(whole, self.store.commit(whole))

    def take_results(
        self, commits: Sequence[Commit], made_ones: Sequence[Committed | Exception | None]
    ) -> list[LoadedMatch | Exception | None]:
        """Return the matches of commits with these results; `None` for one that another writer overtook, and the
        error of one that failed."""
        results: list[LoadedMatch | Exception | None] = []
        changed: list[ChangedMatch] = []
        for commit, made in zip(commits, made_ones, strict=True):
            if not isinstance(made, Committed):
                results.append(made)
                continue
            loaded = self._made(commit, made)
            results.append(loaded)
            if commit.outbox:
                changed.append((loaded, commit.outbox))
        self.feed(changed)
        return results

    def feed(self, changed: Sequence[ChangedMatch]) -> None:
        """Hand changed matches to the feed. Its failures are logged and counted, not raised."""
        if changed:
            self.after_commit.run(AfterCommitStep.FEED, lambda: self._changed(changed), None)

    def _with_past(self, commit: Commit) -> Commit:
        """Return the commit with the logs of earlier deals, which belong to the log of a match that ends."""
        if not (commit.finished and commit.deals_before):
            return commit
        return commit._replace(log="".join([*self.store.past(commit.match), commit.log]))

    def _made(self, commit: Commit, made: Committed) -> LoadedMatch:
        # In the order of the fields: keywords would take twice as long.
        loaded = LoadedMatch(
            made.now,
            made.version,
            commit.config,
            commit.progress,
            made.asked,
            made.deadline,
            commit.secret,
            commit.log,
            commit.state if commit.progress.status is Status.RUNNING else None,
        )
        self._known.keep(loaded)
        return loaded


def _raised(made: LoadedMatch | Exception | None) -> LoadedMatch | None:
    if isinstance(made, Exception):
        raise made
    return made


def _place(position: Position) -> tuple[int, int, int]:
    """Return where the deal's log starts, its length when it was read, and the number of earlier deals."""
    return position.start, position.read, position.state.number - 1
