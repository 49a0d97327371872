"""The port of the match store. `referee.storage.redis` implements it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from engine.match import MatchState
from referee.match.session import MatchConfig, MatchProgress
from referee.match.snapshot import Annotation, Snapshot
from referee.storage.unreadable import Unreadable

Answered = TypeVar("Answered", covariant=True)
Decoded = TypeVar("Decoded")


class Allowance(enum.Enum):
    """What a commit does to the deadline when it sets none."""

    KEEP = "keep"
    NONE = ""


class OutboxKind(enum.StrEnum):
    """Work that follows a commit. It may be done more than once."""

    INDEX = "index"
    """Feed the match to the indexes that span matches."""
    HOUSE = "house"
    """Queue a job that asks the house bots."""


class Commit(NamedTuple):
    """One step of a match. The store makes all of it or nothing."""

    match: str
    version: int
    """The version that the writer read; 0 for a match that must not exist yet."""
    config: MatchConfig
    config_changed: bool
    progress: MatchProgress
    secret: bytes
    log: str
    """The whole log of the deal in progress after the step; of the match if the step ended it."""
    appended: str
    """What the step added to the log, if it closed no deal."""
    closed: tuple[str, ...]
    """The whole logs of the deals that this step closed."""
    allowance: int | Allowance
    """Time in ms for the question now asked."""
    outbox: tuple[OutboxKind, ...] = ()
    finished: bool = False
    """Whether this step ended the match."""
    deals_before: int = 0
    """How many deals were closed before this step. If it ends the match, the writer puts their logs in front of `log`.
    Not stored."""
    state: MatchState | None = None
    """The state after the step, for the cache. Not stored."""
    since: int | None = None
    """With version 0, `MatchStore.recorded` before anybody used the match's id; `None` if unknown. The match's record
    has a higher number, so it is not in the archive while the archive has no more records. Not stored."""


class Committed(NamedTuple):
    """The result of a commit that was made. Instants are service time in ms."""

    version: int
    now: int
    asked: int | None
    deadline: int | None


class Due(NamedTuple):
    """The work of one bucket."""

    now: int
    matches: list[str]
    """Matches with an expired deadline."""
    outbox: list[str]
    """Entries `kind match version`, oldest first."""
    wait_ms: int | None
    """The time until the next match is due; `None` if no other has a deadline, or while service time stands still."""


class MatchStore(Protocol):
    """Stores matches by id. Every method makes one round trip, however many matches it handles."""

    unreadable: Unreadable
    """The unreadable matches that this process has met."""

    def ask(self, pipeline: ReadPipeline, match: str) -> PendingReply[Snapshot | None]:
        """Add the read of a match to a pipeline."""

    def ask_commit(
        self, pipeline: ReadPipeline, commit: Commit, asked_at: float, sent: int
    ) -> PendingReply[Committed | Snapshot | None] | None:
        """Add a commit to a pipeline whose writer has read neither its match nor its token, but remembers both.

        `asked_at` is the `time.monotonic()` before the look-up of the token, `sent` the present service time by the
        writer's estimate. The reply is a snapshot, and nothing was written, if match, token or service time are not
        as remembered. Return `None`, and add nothing, if the token has to be looked up again.
        """

    def read(self, ids: Sequence[str], since: int | None = None) -> list[Snapshot | None]:
        """Return a snapshot of each match; `None` for an id that no match has, and for an unreadable match. `since` is
        that of `Commit`, if all ids have the same."""

    def commit(self, commits: Sequence[Commit]) -> list[Committed | Exception | None]:
        """Make these steps, each atomically. `None` for a step that was not made because its match had changed, and the
        error for one that may be lost because a part of the store failed."""

    def recorded(self) -> int | None:
        """Return how many records there are (`Commit.since`); `None` if no match is ever archived."""

    def confirm(self, matches: Sequence[str]) -> list[Exception | None]:
        """Make every change of these matches so far as safe as an acknowledged commit. Return the error of each match
        for which that failed.

        A read may show a commit that was not acknowledged and may still be lost.
        """

    def times(self, matches: Sequence[str]) -> list[int]:
        """Return the service time of each match's bucket."""

    def past(self, match: str, first: int = 0, end: int | None = None) -> list[str]:
        """Return the logs of the closed deals of a running match, from number `first`, counted from 0, to before
        `end`."""

    def due(self, settle_ms: int, most: int) -> list[Due]:
        """Return the work of each bucket: at most `most` matches and entries each.

        A match is due when `settle_ms` have passed since its deadline and grace.
        """

    def done(self, entries: Sequence[str]) -> None:
        """Remove these entries from their outboxes."""

    def heartbeat(self, late_ms: int = 0) -> int:
        """Record a heartbeat: all API processes served `late_ms` ago.

        Returns the ms credited to running clocks, usually 0; the longest credit of any bucket. Returns -1 if no
        deadline is set in any bucket: then there is no clock to credit.
        """

    def pause(self, on: bool, decision: int = 0) -> bool:
        """Pause service time, or resume it. Returns whether that changed anything.

        Decisions may arrive in any order; the one with the highest number holds.
        """

    def annotate(self, match: str, what: str, reason: str) -> tuple[Annotation, ...] | None:
        """Annotate a finished match, once for each kind `what`, and leave an `index` entry in the outbox.

        Returns all annotations of the match; `None` if it isn't over.
        """

    def annotations(self, matches: Sequence[str]) -> list[tuple[Annotation, ...]]:
        """Return the annotations of each match."""


class PendingReply(Protocol[Answered]):
    """A reply that is available after its pipeline was sent."""

    @property
    def answer(self) -> Answered:
        """The decoded reply. Raises the error of its command."""


class ReadPipeline(Protocol):
    """Gathers reads of several stores for one round trip. `redisio.connection.Pipeline` implements it."""

    def ask(self, decode: Callable[[Any], Decoded], command: tuple[Any, ...]) -> PendingReply[Decoded]:
        """Add a command. `decode` turns its raw reply into the answer."""

    def go(self, *, partly: bool = False) -> None:
        """Send the reads. Their replies are available afterwards. With `partly`, those of a part of the store that
        fails raise its error."""
