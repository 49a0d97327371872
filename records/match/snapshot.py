"""One consistent read of a match, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from records.match.session import Ending, MatchConfig, MatchProgress, Status

VOID: Final = "void"
"""The kind of annotation that voids a finished match."""


class Annotation(NamedTuple):
    """A note that an admin added to a finished match."""

    at: int
    what: str
    """The kind of annotation: `VOID`."""
    reason: str


def is_void(progress: MatchProgress, annotations: Sequence[Annotation]) -> bool:
    """Return whether a match is over and doesn't count, by its ending or by an annotation."""
    return progress.ending is Ending.VOID or any(note.what == VOID for note in annotations)


class Snapshot(NamedTuple):
    """One consistent read of a match. All instants are service time in ms since 1970."""

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
    finished: bool = False
    runs: bool = True
    """Whether service time runs. No deadline expires while it stands still."""
    annotations: tuple[Annotation, ...] = ()
    archived: bool = False
    """Whether the match was read from the archive. Nothing about it is in Redis but its annotations."""

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
