"""The services and limits that the composition root passes to the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from flask import current_app

from api.host_and_accept import Hosts
from api.limits.address import Addresses
from api.limits.rates import NO_LIMITS, Rate, RateCounters, RateScope
from api.problems import Problem, problem_of
from referee.after_commit import AfterCommit
from referee.polling.hub import MOST_POLLS, MOST_WAITS
from referee.service.load import NO_LOAD, ServiceLoad
from referee.service.readiness import Readiness
from referee.timings import DEFAULT_TIMINGS

if TYPE_CHECKING:
    from api.cursors import Cursors
    from league.accounts.eligibility import Eligibility
    from league.accounts.idempotency import Idempotency
    from league.accounts.presence import Presence
    from league.accounts.service import Accounts
    from league.fitness.checks import ConformanceChecks
    from league.fitness.statistics import BotStatistics
    from league.ladders.seasons import Seasons
    from league.ladders.service import Ladders
    from league.ladders.standings import LadderStandings
    from league.notifications.service import Webhooks
    from league.notifications.streams import AccountStreams
    from league.operators.administration import Administration
    from league.queue.batches import MatchBatches
    from league.queue.service import MatchQueue
    from league.ratings.book import RatingBook
    from league.reviews.service import Reviews
    from league.rounds import Rounds
    from league.watching.service import RequestWatch
    from referee.dumps.reader import DumpReader
    from referee.duplicate_groups import Groups
    from referee.polling.hub import Hub
    from referee.polling.streams import Streams
    from referee.polling.turns import Turns
    from referee.proofs.proof import Proofs
    from referee.referee import Referee
    from referee.service.redis import RedisService
    from referee.storage.redis import RedisMatchStore
    from referee.storage.redis_index import RedisMatchIndex
    from referee.storage.store import ReadPipeline


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that the API enforces and `GET /v1/limits` shows."""

    max_wait_s: float = 60.0
    max_body_bytes: int = 262_144
    body_timeout_s: float = 10.0
    max_moves: int = 256
    """Moves in one `POST /v1/turns`."""
    max_page: int = 200
    """Entries in one page of a list."""
    max_events: int = 1000
    """Events in one response."""
    max_polls: int = MOST_POLLS
    """Waiting polls of one bot in one process. One more makes the oldest respond at once."""
    max_waits: int = MOST_WAITS
    """Other waiting requests of one bot, or of one address without a token."""
    max_stream_s: float = 3600.0
    """How long a stream may stay open. Its client then opens another one."""
    open_registration: bool = True
    start_ms: int = DEFAULT_TIMINGS.start_ms
    """The time within which the seats of a match must show up."""
    open_ms: int = DEFAULT_TIMINGS.open_ms
    """The time within which the open seats of a match must be taken."""
    settle_ms: int = DEFAULT_TIMINGS.settle_ms
    rates: Mapping[RateScope, Rate] = field(default_factory=lambda: NO_LIMITS)
    """The rate limits by scope."""
    version: str = field(default_factory=lambda: version("kozyr"))
    """The version of the service, which pyproject.toml states."""


@dataclass(slots=True)
class Services:
    """The services that handlers use."""

    referee: Referee
    store: RedisMatchStore
    """The referee's store."""
    groups: Groups
    index: RedisMatchIndex
    turns: Turns
    streams: Streams
    """Streams of matches."""
    account_streams: AccountStreams
    """Streams of bots and owners."""
    hub: Hub
    accounts: Accounts
    eligibility: Eligibility
    checks: ConformanceChecks
    statistics: BotStatistics
    ladders: Ladders
    seasons: Seasons
    standings: LadderStandings
    """The standings of ladders with ratings."""
    presence: Presence
    """Which bots are online."""
    match_queue: MatchQueue
    """Bots that look for a game."""
    batches: MatchBatches
    """Casual matches that are created all or none."""
    webhooks: Webhooks
    """The webhooks of owners."""
    rounds: Rounds
    ratings: RatingBook
    watch: RequestWatch
    reviews: Reviews
    """Mistake reviews."""
    dumps: DumpReader
    """Monthly dumps."""
    administration: Administration
    service: RedisService
    """Whether the service runs, drains or is paused."""
    proofs: Proofs
    """Proofs of records."""
    idempotency: Idempotency
    cursors: Cursors
    """Cursors of lists."""
    pipeline: Callable[[], ReadPipeline]
    """Returns a new pipeline for one round trip to the store."""
    rate_counters: RateCounters
    """Count requests for the rate limits."""
    store_errors: tuple[type[Exception], ...] = ()
    """The errors that the store raises when it is unavailable."""
    full_errors: tuple[type[Exception], ...] = ()
    """The errors of `store_errors` that mean that the store is full."""
    looked_at: Callable[[], object] = lambda: None
    """Takes note that somebody asked for something else than a turn."""
    disk_is_full: Callable[[], bool] = lambda: False
    """Returns whether the disk of the store has no room. Then any of `store_errors` means so."""
    limits: Limits = field(default_factory=Limits)
    rules_text: Callable[[str, str], str | None] = lambda game, language: None
    """Returns the rules of a game in a language, in Markdown."""
    readiness: Callable[[], Readiness] = Readiness
    """Returns the readiness of the whole service."""
    round_trips: Callable[[], int] = lambda: 0
    """Returns the number of round trips to the store so far."""
    load: Callable[[], ServiceLoad] = lambda: NO_LOAD
    """Returns the load of the whole service. Raises one of `store_errors`."""
    turns_ahead: Callable[[str], int | None] = lambda match: None
    """Returns how many turns of house bots precede that of a match; `None` if it waits for none."""
    addresses: Addresses = field(default_factory=Addresses)
    """Finds the address of a client."""
    behind_tls: bool = False
    """Whether all clients use HTTPS. Responses then require it of browsers (HSTS)."""
    path_prefix: str = ""
    """The path below which a proxy offers the service; empty, or as in `/kozyr`."""
    instance: str = ""
    """The label `instance` of the metrics; none if it is empty."""
    cors_origins: frozenset[str] = frozenset()
    """The origins whose pages may read responses; `*` is every origin."""
    hosts: Hosts = field(default_factory=Hosts)
    """The hosts that requests may name."""
    log_every_refusal: bool = False
    """Whether every refused request is logged (`api.limits.refusals`)."""

    after_commit: AfterCommit = field(init=False, default_factory=AfterCommit)
    """The referee's guard of hooks that run after a commit."""

    def problem_of(self, error: Exception) -> Problem:
        """Return the problem of an exception (`api.problems.problem_of`)."""
        full = self.store_errors if self.disk_is_full() else self.full_errors
        return problem_of(error, self.store_errors, full)

    def __post_init__(self) -> None:
        if self.referee is not None:
            self.after_commit = self.referee.after_commit

    @classmethod
    def of_the_document(cls, limits: Limits | None = None) -> Services:
        """Return a placeholder with these limits, enough to make the OpenAPI document. Its services are `None`."""
        none: Any = None
        required = (
            each.name for each in fields(cls) if each.default is MISSING and each.default_factory is MISSING
        )
        made: Services = cls(**dict.fromkeys(required, none))
        made.limits = limits or made.limits
        return made


def services() -> Services:
    """Return the services of the application that serves the current request."""
    current: Services = current_app.extensions["kozyr-services"]
    return current
