"""A match as the referee returns it, and the result of a move."""

from __future__ import annotations

from typing import NamedTuple

from engine.match import MatchState
from records.match.log import Entry
from records.match.session import MatchConfig, MatchProgress, Status
from records.match.snapshot import Annotation, Snapshot, is_void


class LoadedMatch(NamedTuple):
    """A match with everything the referee knows. `records.match.views` builds what others may see of it."""

    now: int
    version: int
    config: MatchConfig
    progress: MatchProgress
    asked: int | None
    deadline: int | None
    secret: bytes
    log: str
    state: MatchState | None
    """The state of the deal in progress; `None` before the start and after the end."""
    annotations: tuple[Annotation, ...] = ()
    """What admins added after the match ended."""
    archived: bool = False
    """Whether the match was read from the archive."""

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot, state: MatchState | None) -> LoadedMatch:
        """Return the match of a snapshot, with the state of its deal in progress."""
        return cls(
            now=snapshot.now,
            version=snapshot.version,
            config=snapshot.config,
            progress=snapshot.progress,
            asked=snapshot.asked,
            deadline=snapshot.deadline,
            secret=snapshot.secret,
            log=snapshot.log,
            state=state,
            annotations=snapshot.annotations,
            archived=snapshot.archived,
        )

    @property
    def id(self) -> str:
        """The match's id."""
        return self.config.id

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return self.progress.status is Status.FINISHED

    @property
    def void(self) -> bool:
        """Whether the match is over and doesn't count, by its ending or by an annotation."""
        return is_void(self.progress, self.annotations)

    def asks(self, seat: int) -> bool:
        """Return whether the bot on this seat has to answer now. The referee answers for forfeited seats."""
        return self.state is not None and self.progress.to_move == seat and seat not in self.progress.forfeits


class MoveResult(NamedTuple):
    """The result of a move that was made."""

    match: str
    seat: int
    entry: Entry
    replayed: bool
    """Whether an earlier request made the move."""
    loaded: LoadedMatch | None
    """The match right after the move; `None` for a replayed one."""
