"""What the referee needs of a store of matches: the port. `referee.storage.redis` is its Redis form."""

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
    """What is to be done after a commit, once or more often."""

    INDEX = "index"
    """Feed the indexes that span matches."""
    HOUSE = "house"
    """Ask the house bots on in a job."""


class Commit(NamedTuple):
    """One step of a match, to be made whole or not at all."""

    match: str
    version: int
    """The version that was read; 0 for a match that must not exist yet."""
    config: MatchConfig
    config_changed: bool
    progress: MatchProgress
    secret: bytes
    log: str
    """The whole log of the deal in progress after the step; of the match when the step ended it."""
    appended: str
    """What the step added to it, where it closed no deal."""
    closed: tuple[str, ...]
    """The whole logs of deals closed by this step."""
    allowance: int | Allowance
    """Time in ms for the question now asked."""
    outbox: tuple[OutboxKind, ...] = ()
    finished: bool = False
    """Whether this step ended the match."""
    deals_before: int = 0
    """How many deals were closed before this step. If it ends the match, the writer puts their logs in front of `log`.
    Not stored."""
    state: MatchState | None = None
    """What the writer knows the state to be; not stored."""


class Committed(NamedTuple):
    """A commit that was made."""

    version: int
    now: int
    asked: int | None
    deadline: int | None


class Due(NamedTuple):
    """What a bucket has to be done about."""

    now: int
    matches: list[str]
    outbox: list[str]
    """Entries `kind match version`, oldest first."""


class MatchStore(Protocol):
    """Matches by id. Every method makes one round trip, however many matches it is asked about."""

    unreadable: Unreadable
    """The matches that were found unreadable."""

    def read(self, ids: Sequence[str]) -> list[Snapshot | None]:
        """A look at each of these matches; `None` for an id that no match has, and for an unreadable match."""

    def commit(self, commits: Sequence[Commit]) -> list[Committed | None]:
        """Make these steps, each atomically; `None` for one whose match had changed, which was not made."""

    def times(self, matches: Sequence[str]) -> list[int]:
        """Service time where each of these matches lives."""

    def past(self, match: str) -> list[str]:
        """The logs of the closed deals of a match that still runs."""

    def due(self, settle_ms: int, most: int) -> list[Due]:
        """What each bucket has to be done about."""

    def done(self, entries: Sequence[str]) -> None:
        """Take these entries out of their outboxes."""

    def beat(self, late_ms: int = 0) -> int:
        """Record that the whole service was known to serve `late_ms` ago. Returns the ms credited to running clocks,
        mostly 0."""

    def hold(self, on: bool, decision: int = 0) -> bool:
        """Stop service time on purpose, or let it go on. Of several decisions the one with the highest number stands,
        in whatever order they come. Returns whether that changed anything."""

    def annotate(self, match: str, what: str, reason: str) -> tuple[Annotation, ...] | None:
        """Say this of a match that is over, once, and leave an `index` entry. Returns all that is said of it, `None`
        for a match that is not over."""


class PendingReply(Protocol[Answered]):
    """An answer that is there once its pipeline was sent."""

    @property
    def answer(self) -> Answered:
        """The decoded answer. Raises the error of its command."""


class ReadPipeline(Protocol):
    """Reads of several stores gathered for one round trip. `redisio.connection.Pipeline` is its Redis form."""

    def ask(self, decode: Callable[[Any], Decoded], command: tuple[Any, ...]) -> PendingReply[Decoded]:
        """Add a command; `decode` makes its reply the answer."""

    def go(self) -> None:
        """Send the reads; their answers are there afterwards."""
