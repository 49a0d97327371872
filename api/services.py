"""What the API is made of: the parts that the composition root hands in, and the limits it keeps to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol

from flask import current_app

from api.limits.address import Addresses
from api.limits.rates import NO_LIMITS, Rate, RateScope
from referee.after_commit import AfterCommit
from referee.polling.hub import MOST_POLLS, MOST_WAITS
from referee.service.readiness import Readiness
from referee.timings import RefereeTimings

if TYPE_CHECKING:
    from api.cursors import Cursors
    from league.accounts.eligibility import Eligibility
    from league.accounts.idempotency import Idempotency
    from league.accounts.presence import Presence
    from league.accounts.service import Accounts
    from league.fitness.checks import ConformanceChecks
    from league.fitness.statistics import BotStatistics
    from league.ladders.adjusted_points import AdjustedPoints
    from league.ladders.seasons import Seasons
    from league.ladders.service import Ladders
    from league.operators.administration import Administration
    from league.ratings.book import RatingBook
    from league.rounds import Rounds
    from referee.groups.service import Groups
    from referee.polling.hub import Hub
    from referee.polling.turns import Turns
    from referee.proofs.proof import Proofs
    from referee.referee import Referee
    from referee.service.state import ServiceControl
    from referee.storage.index import MatchIndex
    from referee.storage.store import PendingReply, ReadPipeline, Snapshot
    from referee.storage.unreadable import Unreadable


@dataclass(frozen=True, slots=True)
class Limits:
    """What `GET /v1/limits` tells, and the API keeps to."""

    max_wait_s: float = 60.0
    max_body_bytes: int = 262_144
    body_timeout_s: float = 10.0
    max_moves: int = 256
    """Moves in one `POST /v1/turns`."""
    max_page: int = 200
    """Entries of one page of a list."""
    max_events: int = 1000
    """Events of one answer."""
    max_polls: int = MOST_POLLS
    """Waiting polls of one bot in one process; the oldest is answered when one more comes."""
    max_waits: int = MOST_WAITS
    """The same of other waits of one bot, or of one address without a token."""
    open_registration: bool = True
    start_ms: int = RefereeTimings().start_ms
    """How long the seats of a match have to show up."""
    open_ms: int = RefereeTimings().open_ms
    """How long a match waits for its open seats."""
    settle_ms: int = RefereeTimings().settle_ms
    rates: Mapping[RateScope, Rate] = field(default_factory=lambda: NO_LIMITS)
    """How often what may be done."""
    version: str = "0.1.0"
    """Of the service."""


class AsksMatches(Protocol):
    """What the hot routes and the metrics need of the store of matches."""

    @property
    def unreadable(self) -> Unreadable:
        """The matches that this process could not read."""

    def ask(self, trip: ReadPipeline, match: str) -> PendingReply[Snapshot | None]:
        """Add a look at this match to a trip."""


@dataclass(slots=True)
class Services:
    """The parts. The API knows no other way to them."""

    referee: Referee
    store: AsksMatches
    """The store of the referee, asked in a round trip of somebody else's."""
    groups: Groups
    index: MatchIndex
    turns: Turns
    hub: Hub
    accounts: Accounts
    admission: Eligibility
    checks: ConformanceChecks
    statistics: BotStatistics
    ladders: Ladders
    seasons: Seasons
    presence: Presence
    """Who is online."""
    rounds: Rounds
    ratings: RatingBook
    adjusting: AdjustedPoints
    administration: Administration
    service: ServiceControl
    """Whether it runs, drains or is paused."""
    proofs: Proofs
    """Of records."""
    idempotency: Idempotency
    cursors: Cursors
    """Of lists."""
    trip: Callable[[], ReadPipeline]
    """A new round trip to the store."""
    store_errors: tuple[type[Exception], ...] = ()
    full_errors: tuple[type[Exception], ...] = ()
    """Those of `store_errors` that mean that the store is full."""
    """What the store raises when it is gone."""
    limits: Limits = field(default_factory=Limits)
    rules_text: Callable[[str, str], str | None] = lambda game, language: None
    """The rules of a game in a language, in Markdown."""
    readiness: Callable[[], Readiness] = Readiness
    """How the service as a whole is."""
    round_trips: Callable[[], int] = lambda: 0
    """Round trips made to the store so far."""
    rate_storage: str = "memory://"
    """Where rates are counted: a storage of the `limits` library."""
    rate_options: Mapping[str, Any] = field(default_factory=dict)
    """What that storage is made with."""
    addresses: Addresses = field(default_factory=Addresses)
    """Tells from where a request comes."""
    behind_tls: bool = False
    """Whether everybody comes by HTTPS, so that browsers may be told to insist on it."""
    log_every_refusal: bool = False
    """Whether each refused request has a line in the log, however many come (`api.limits.refusals`)."""

    after: AfterCommit = field(init=False, default_factory=AfterCommit)
    """The referee's guard of what runs after a commit."""

    def __post_init__(self) -> None:
        if self.referee is not None:
            self.after = self.referee.after

    @classmethod
    def of_the_document(cls, limits: Limits | None = None) -> Services:
        """Enough to make the OpenAPI document from; nothing of it can be called."""
        none: Any = None
        needed = (
            each.name for each in fields(cls) if each.default is MISSING and each.default_factory is MISSING
        )
        made: Services = cls(**dict.fromkeys(needed, none))
        made.limits = limits or made.limits
        return made


def services() -> Services:
    """The parts of the application that serves the present request."""
    found: Services = current_app.extensions["kozyr-services"]
    return found
