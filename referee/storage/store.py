"""What the match store takes and returns, and the pipeline that callers hand to it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from engine.match import MatchState
from records.match.session import MatchConfig, MatchProgress

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
    """With version 0, `RedisMatchStore.recorded` before anybody used the match's id; `None` if unknown. The match's
    record has a higher number, so it is not in the archive while the archive has no more records. Not stored."""


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
