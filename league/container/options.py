"""The parameters of a container. Production takes them from the settings, tests choose their own."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from league.accounts.service import wall_clock
from league.fitness.regret import Exact
from league.recent import RECENT_S
from league.rounds.context import RoundJobs
from records.match.players import Players, Thinkers
from records.reviews.model import Decision, Evaluate, Regret
from redisio.connection import Redis
from referee.greenlets import RunInThread
from referee.object_store import Objects
from referee.polling.hub import MOST_POLLS, MOST_WAITS
from referee.proofs.proof import SigningKey
from referee.service.state import Space
from referee.timings import DEFAULT_TIMINGS, RefereeTimings

if TYPE_CHECKING:
    from records.reviews.exact import ExactMove


class WaitingMatches(NamedTuple):
    """How many matches of an owner wait for house bots."""

    owner: str
    """The id of a ladder's owner, else the name of the owner; empty for guests."""
    is_of_ladders: bool
    matches: int


class Jobs(RoundJobs, Protocol):
    """The background jobs that the league asks for."""

    def wake_ratings(self, preset: str) -> None:
        """Enqueue the rating of new group results."""

    def wake_review(self, review: str, jobs: int) -> None:
        """Enqueue work on a review."""

    def wake_hint(self, match: str, turn: int) -> None:
        """Enqueue the computation of a hint for a person."""

    def wake_study(self, match: str, deal: int, move: int, line: Sequence[str], owner: str) -> None:
        """Enqueue the solution of a position."""

    def wake_regret(self) -> None:
        """Enqueue the solution of endings of finished matches."""

    def wake_archive(self) -> None:
        """Enqueue the move of old matches to the archive."""

    def wake_dump(self) -> None:
        """Enqueue the writing of dumps."""

    def wake_webhooks(self) -> None:
        """Enqueue the delivery of messages of webhooks."""

    def waiting_matches(self, owner: str) -> int:
        """Return how many matches that this owner requested wait for house bots."""

    def waiting_by_owner(self) -> Sequence[WaitingMatches]:
        """Return for each owner how many matches wait for house bots."""

    def turns_ahead(self, match: str) -> int | None:
        """Return how many turns of house bots precede that of a match."""


def _no_signing_key() -> SigningKey:
    raise RuntimeError("this container was made without a signing key")


def _no_jobs() -> Jobs:
    raise RuntimeError("this container was made without a job queue")


def _evaluate(decision: Decision, seed: str) -> Regret | None:
    from records.reviews.judge import evaluate  # large, and only workers review matches

    return evaluate(decision, seed)


def _exact(record: Mapping[str, Any], seats: Container[int]) -> Iterable[ExactMove]:
    from records.reviews.exact import exact_moves  # only workers solve endings

    return exact_moves(record, seats)


@dataclass(frozen=True, kw_only=True)
class ContainerOptions:
    """Everything that differs between containers. Callables are called when a part first needs their result."""

    connect: Callable[[], Redis]
    """Opens the connection that all stores share."""
    secret: str | None = None
    """The pepper of tokens, idempotency keys and cursors. Commands that need none of them leave it out."""
    signing_key: Callable[[], SigningKey] = _no_signing_key
    """Returns the key that signs the chain of records."""
    jobs: Callable[[], Jobs] = _no_jobs
    """Opens the job queue."""
    archive: Callable[[], Objects] | None = None
    """Opens the object store of the archive. Without it no match is moved, and moved ones can't be read."""
    hot_ms: int = 0
    """After how long finished matches move to the archive; 0: never."""
    players: Players = field(default_factory=dict)
    """House bots that the referee asks inside a commit."""
    thinkers: Thinkers = field(default_factory=dict)
    """House bots that take time to choose a move."""
    asks_thinkers: bool = False
    """Whether this process asks `thinkers`; workers do."""
    timings: RefereeTimings = DEFAULT_TIMINGS
    rng: Random | None = None
    """The referee's source of randomness; a fresh one if `None`."""
    now: Callable[[], int] = wall_clock
    """The wall clock of accounts, groups and checks, in ms since 1970."""
    store_now: Callable[[], int] | None = None
    """The clock of schedules and presence, in ms since 1970; Redis's own if `None`."""
    monotonic: Callable[[], float] = time.monotonic
    """The clock of budgets and periods, in seconds."""
    recent_s: float = RECENT_S
    """How long the process keeps what many readers ask for (`league.recent`), in seconds."""
    by_invitation: bool = False
    """Whether registration requires an invitation."""
    admin_token: str | None = None
    max_polls: int = MOST_POLLS
    """Waiting polls of one bot in one process."""
    max_waits: int = MOST_WAITS
    """Other waiting requests of one bot or address in one process."""
    evaluate: Evaluate = _evaluate
    """Evaluates a decision, for mistake reviews."""
    exact: Exact = _exact
    """Returns the moves of a record with exact values, for the regret of bots."""
    disk: Callable[[], Space] = lambda: Space.AMPLE
    """Returns the space on the disk of Redis, if this process can see it."""
    run_in_thread: RunInThread = lambda call: call()
    """Calls a function that computes for long."""


def unconnected() -> ContainerOptions:
    """Return the parameters of a container that is never used with a server."""
    return ContainerOptions(connect=lambda: Redis("redis://127.0.0.1:1/0"), secret="none")  # noqa: S106
