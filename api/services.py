"""The services and limits that the composition root passes to the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

from flask import current_app

from api.cursors import Cursors
from api.host_and_accept import Hosts
from api.limits.address import Addresses
from api.limits.rates import NO_LIMITS, Rate, RateScope
from api.problems import Problem, problem_of
from league.container.league import LeagueContainer
from league.container.options import unconnected
from referee.polling.hub import MOST_POLLS, MOST_WAITS
from referee.service.readiness import Readiness
from referee.timings import DEFAULT_TIMINGS


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


@dataclass(eq=False)
class Services(LeagueContainer):
    """The services that handlers use: those of the league, and what only the API needs."""

    limits: Limits = field(default_factory=Limits)
    disk_is_full: Callable[[], bool] = lambda: False
    """Returns whether the disk of the store has no room. Then any of `store_errors` means so."""
    rules_text: Callable[[str, str], str | None] = lambda game, language: None
    """Returns the rules of a game in a language, in Markdown."""
    readiness: Callable[[], Readiness] = Readiness
    """Returns the readiness of the whole service."""
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

    @cached_property
    def cursors(self) -> Cursors:
        """Cursors of lists."""
        return Cursors(self.secret)

    def problem_of(self, error: Exception) -> Problem:
        """Return the problem of an exception (`api.problems.problem_of`)."""
        full = self.store_errors if self.disk_is_full() else self.full_errors
        return problem_of(error, self.store_errors, full)

    @classmethod
    def of_the_document(cls, limits: Limits | None = None, **more: Any) -> Services:
        """Return services enough to make the OpenAPI document. They connect to nothing."""
        return cls(unconnected(), limits or Limits(), **more)


def services() -> Services:
    """Return the services of the application that serves the current request."""
    current: Services = current_app.extensions["kozyr-services"]
    return current
