"""Rate limits, counted in fixed windows.

A request with a valid token counts for its bot or its owner, so one bot harms only itself and further tokens give it
no more. Other requests count for their address; a school class may share one. **A legal move is never refused for
rate**: moves are not counted. Refused moves are, after they were refused.

While Redis is unavailable no request is refused for rate. docs/adr/0009-rate-limits.md says why Flask-Limiter is not
used.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol

import structlog
from flask import current_app, request

from api.limits.address import Addresses
from api.problems import Problem
from league.accounts.tokens import Token, TokenKind

log = structlog.get_logger("kozyr.api")

MOST_COUNTERS: Final = 10_000
_MOST_REMEMBERED: Final = 10_000
_SILENCE_S: Final = 10.0
BYTES_PER_REQUEST: Final = 32 * 1024
"""Each 32 KiB of a response count as another request. `api.limits.metering` does the same for streams."""


class LocalCounters:
    """Counts in fixed windows. The counter that began first is forgotten first."""

    def __init__(self) -> None:
        self._counters: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By key, the count and the end of its window."""

    def count(self, key: str, window_s: int, amount: int = 1) -> tuple[int, float]:
        """Add to a counter whose window begins with its first count. Return the total and the seconds that remain."""
        now = time.monotonic()
        total, end = self._counters.get(key, (0, 0.0))
        if end <= now:
            self._counters.pop(key, None)
            total, end = 0, now + window_s
        self._counters[key] = (total + amount, end)
        if len(self._counters) > MOST_COUNTERS:
            self._counters.popitem(last=False)
        return total + amount, end - now


class RateScope(StrEnum):
    """What a limit counts, and per whom."""

    REQUESTS = "requests"
    """Per bot or owner: requests in no other scope."""
    CREATIONS = "creations"
    """Per bot or owner: new matches, bots, tokens, ladders, rounds, names."""
    POLLS = "polls"
    """Per bot: requests for turns that made no move."""
    REFUSED_MOVES = "refused_moves"
    """Per bot: refused moves."""
    ANONYMOUS = "anonymous"
    """Per address: requests without a valid token."""
    REGISTRATIONS = "registrations"
    """Per address: new owners, and matches and shared replays of people who have not signed in."""
    BAD_TOKENS = "bad_tokens"
    """Per address: requests with an invalid token."""
    PAGES = "pages"
    """Per address and process: documentation, static files, and requests without a handler or a required token."""
    PROBES = "probes"
    """Per address and process: `/healthz` and `/readyz`. What else an address requests must not stop its probes."""


LOCAL: Final = frozenset({RateScope.PAGES, RateScope.PROBES})
"""What each process counts for itself."""
CREATING: Final = frozenset({RateScope.CREATIONS, RateScope.REGISTRATIONS})


class Rate(NamedTuple):
    """At most `limit` requests in `window_s` seconds; 0 is no limit."""

    limit: int
    window_s: int


NO_LIMITS: Final[Mapping[RateScope, Rate]] = {scope: Rate(0, 1) for scope in RateScope}


class CountedRequest(NamedTuple):
    """The state of a client's window after a request was counted."""

    scope: RateScope
    client: str
    """A bot's id, an owner's id or an address."""
    rate: Rate
    left: int
    reset_s: int
    """Seconds until the window ends."""
    over: bool


class RateCounters(Protocol):
    """Counters in fixed windows, which all processes share."""

    def count(self, key: str, window_s: int, amount: int = 1) -> tuple[int, float]:
        """Add to a counter whose window begins with its first count. Return the total and the seconds that remain."""


class Rates:
    """Counts requests. One instance serves the application."""

    def __init__(
        self,
        rates: Mapping[RateScope, Rate],
        addresses: Addresses,
        counters: RateCounters,
        failures: tuple[type[Exception], ...] = (),
        check_space: Callable[[], None] = lambda: None,
    ) -> None:
        """`counters` raise `failures` when they are unavailable. `check_space` raises while nothing may be created;
        admins may."""
        self._rates = {scope: rate for scope, rate in rates.items() if rate.limit}
        self._addresses, self._counters = addresses, counters
        self._failures, self._check_space = failures, check_space
        # Probes must not wait for Redis, nor static files cost a round trip.
        self._local = LocalCounters()
        self._over: OrderedDict[tuple[RateScope, str], float] = OrderedDict()
        self._logged = -_SILENCE_S

    def count(self, scope: RateScope, client: str, cost: int = 1) -> CountedRequest | None:
        """Count a request as `cost` requests. Return `None` without a limit or while the counters are unavailable."""
        rate, key = self._rates.get(scope), (scope, client)
        if rate is None:
            return None
        until = self._over.get(key)
        if until is not None:
            # The limit is exceeded until the window ends, so the counters need not be asked again.
            rest = until - time.monotonic()
            if rest > 0:
                return CountedRequest(scope, client, rate, 0, math.ceil(rest), True)
            self._over.pop(key, None)
        name = f"{scope}/{client}/{rate.limit}/{rate.window_s}"
        try:
            counters = self._local if scope in LOCAL else self._counters
            total, rest = counters.count(name, rate.window_s, cost)
        except self._failures as error:
            self._log_failure(error)
            return None
        over = total > rate.limit
        if over:
            self._over[key] = time.monotonic() + rest
            while len(self._over) > _MOST_REMEMBERED:
                self._over.popitem(last=False)
        return CountedRequest(scope, client, rate, max(0, rate.limit - total), math.ceil(rest), over)

    def check(self, environ: dict[str, Any], scope: RateScope, client: str, cost: int = 1) -> None:
        """Count a request of this bot or owner. Raise `Problem` over the limit."""
        problem = self.over_limit(environ, scope, client, cost)
        if problem is not None:
            raise problem

    def over_limit(
        self, environ: dict[str, Any], scope: RateScope, client: str, cost: int = 1
    ) -> Problem | None:
        """Count a request of this bot or owner. Return the refusal over the limit."""
        environ["kozyr.whom"] = client
        return _problem(environ, self.count(scope, client, cost))

    def check_token(self, environ: dict[str, Any], token: Token, scope: RateScope) -> None:
        """Count a request with a valid token. Raise `Problem` over the limit. Admins are not counted."""
        environ["kozyr.whom"] = token.subject
        if token.kind is not TokenKind.ADMIN:
            self.check(environ, scope, token.subject)
            if scope in CREATING:
                self._check_space()

    def check_address(self, environ: dict[str, Any], scope: RateScope, *, counted: bool = True) -> None:
        """Count a request of the client's address, unless not `counted`. Raise `Problem` over the limit."""
        problem = _problem(environ, self.count(scope, self._addresses.of(environ))) if counted else None
        if problem is not None:
            raise problem
        if scope in CREATING:
            self._check_space()

    def charge(self, counted: list[CountedRequest], size: int) -> None:
        """Count a request once more for each `BYTES_PER_REQUEST` of its response, but no refused move."""
        if size < BYTES_PER_REQUEST:
            return
        for index in reversed(range(len(counted))):
            last = counted[index]
            if last.scope is not RateScope.REFUSED_MOVES:
                if not last.over:
                    counted[index] = self.count(last.scope, last.client, size // BYTES_PER_REQUEST) or last
                return

    def _log_failure(self, error: Exception) -> None:
        now = time.monotonic()
        if now - self._logged >= _SILENCE_S:
            self._logged = now
            log.warning("rate limits are not enforced: the counters are unavailable", error=str(error))


def rates() -> Rates:
    """Return the rates of the application that serves the current request."""
    current: Rates = current_app.extensions["kozyr-rates"]
    return current


def check_token(token: Token, scope: RateScope) -> None:
    """Count a request with a valid token. Raise `Problem` over the limit. Admins are not counted."""
    rates().check_token(request.environ, token, scope)


def check_address(scope: RateScope) -> None:
    """Count a request of the client's address. Raise `Problem` over the limit."""
    rates().check_address(request.environ, scope)


def check_registration(*, invited: bool) -> None:
    """Count a registration of the client's address, unless it has a valid invitation: a class may share an address.
    Raise `Problem` over the limit."""
    rates().check_address(request.environ, RateScope.REGISTRATIONS, counted=not invited)


def headers(counted: list[CountedRequest]) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the headers of draft-ietf-httpapi-ratelimit-headers for all that was counted in a request."""
    return (
        (
            "RateLimit-Policy",
            ", ".join(f'"{each.scope}";q={each.rate.limit};w={each.rate.window_s}' for each in counted),
        ),
        ("RateLimit", ", ".join(f'"{each.scope}";r={each.left};t={each.reset_s}' for each in counted)),
    )


def _problem(environ: dict[str, Any], counted: CountedRequest | None) -> Problem | None:
    """Keep a counted request for the response's headers. Return the refusal over the limit."""
    if counted is None:
        return None
    environ.setdefault("kozyr.counted", []).append(counted)
    if not counted.over:
        return None
    rate = counted.rate
    return Problem(
        "rate_limited",
        f"more than {rate.limit} {counted.scope.replace('_', ' ')} in {rate.window_s} s; "
        f"try again in {counted.reset_s} s (see `GET /v1/limits`)",
        {"Retry-After": str(max(1, counted.reset_s))},
        limit=counted.scope.value,
        retry_ms=max(1, counted.reset_s) * 1000,
    )
