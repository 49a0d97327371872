"""A match as the referee returns it, and the result of a move."""

from __future__ import annotations

from typing import NamedTuple

from engine.match import MatchState
from records.match.log import Entry
from records.match.record import Record
from records.match.session import MatchConfig, MatchProgress, Status
from records.match.snapshot import Annotation, is_void


class LoadedMatch(NamedTuple):
    """One consistent read of a match, with everything the referee knows. All instants are service time in ms since
    1970. `records.match.views` builds what others may see of it."""

    now: int
    version: int
    config: MatchConfig
    progress: MatchProgress
    asked: int | None
    """When the open question was asked."""
    deadline: int | None
    """When its time is up: the bank is included, the grace is not."""
    secret: bytes
    log: str
    """The log of the deal in progress; of the whole match when `finished`."""
    state: MatchState | None = None
    """The state of the deal in progress, once it is replayed; `None` before the start and after the end."""
    runs: bool = True
    """Whether service time runs. No deadline expires while it stands still."""
    annotations: tuple[Annotation, ...] = ()
    """What admins added after the match ended."""
    archived: bool = False
    """Whether the match was read from the archive. Nothing about it is in Redis but its annotations."""

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

    @property
    def record(self) -> Record:
        """The record of a finished match."""
        return Record(self.config, self.progress, self.secret, self.log)

    def asks(self, seat: int) -> bool:
        """Return whether the bot on this seat has to answer now. The referee answers for forfeited seats."""
        return self.state is not None and self.progress.to_move == seat and seat not in self.progress.forfeits

    def is_overdue(self, margin: int) -> bool:
        """Return whether deadline and grace passed at least `margin` ms ago."""
        if self.finished or self.deadline is None or not self.runs:
            return False
        grace = self.config.clock.grace_ms if self.progress.status is Status.RUNNING else 0
        return self.now >= self.deadline + grace + margin

    def is_time_up(self, arrived: int) -> bool:
        """Return whether an answer that arrived at this instant is too late for the remote bot to move."""
        seat = self.progress.to_move
        if self.deadline is None or seat is None or self.config.is_house(seat) or not self.runs:
            return False
        return arrived > self.deadline + self.config.clock.grace_ms


class MoveResult(NamedTuple):
    """The result of a move that was made."""

    match: str
    seat: int
    entry: Entry
    replayed: bool
    """Whether an earlier request made the move."""
    loaded: LoadedMatch | None
    """The match right after the move; `None` for a replayed one."""
