"""How often: rate limits, counted by Flask-Limiter's fixed windows.

By whom a good token speaks for (a bot, or an owner), so that one bot harms only itself and more tokens give it no
more; by address only where there is no good token, since a class shares one address. **A move that can be made is
never refused for rate**: moves are not counted; what is counted is moves that were refused, after they were.

Where Redis can't be asked, nobody is refused: a limiter's trouble is ours. Why nothing of Flask-Limiter's hooks is
used: docs/adr/0009-rate-limits.md.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

import structlog
from flask import Flask, current_app, request
from flask_limiter import Limiter
from limits import RateLimitItem, RateLimitItemPerSecond

from api.limits.address import Addresses
from api.problems import Problem
from league.accounts.tokens import Token, TokenKind

log = structlog.get_logger("kozyr.api")

_MOST_REMEMBERED: Final = 10_000
_SILENCE_S: Final = 10.0
AN_ANSWER: Final = 32 * 1024
"""An answer of so many bytes counts as another request."""
A_STREAM: Final = 8 * AN_ANSWER
"""What an answer counts as whose length nobody knows beforehand."""


class RateScope(StrEnum):
    """What is counted."""

    REQUESTS = "requests"
    """Of a bot or an owner, but for what follows."""
    CREATIONS = "creations"
    """Of a bot or an owner: matches, bots, tokens, ladders, rounds."""
    POLLS = "polls"
    """Of a bot: requests for turns that made no move."""
    REFUSED_MOVES = "refused_moves"
    """Of a bot: moves that were refused."""
    ANONYMOUS = "anonymous"
    """Requests of an address without a good token."""
    REGISTRATIONS = "registrations"
    """Of an address."""
    BAD_TOKENS = "bad_tokens"
    """Of an address: requests with tokens that are none."""


class Rate(NamedTuple):
    """So many in so many seconds; 0 is no limit."""

    limit: int
    window_s: int


NO_LIMITS: Final[Mapping[RateScope, Rate]] = {of: Rate(0, 1) for of in RateScope}


class CountedRequest(NamedTuple):
    """How somebody stands after something was counted."""

    of: RateScope
    whom: str
    rate: Rate
    left: int
    reset_s: int
    """In how many seconds the window ends."""
    over: bool


class Rates:
    """The rates of an application."""

    def __init__(
        self,
        rates: Mapping[RateScope, Rate],
        addresses: Addresses,
        storage_uri: str = "memory://",
        storage_options: Mapping[str, Any] | None = None,
        failures: tuple[type[Exception], ...] = (),
    ) -> None:
        """Counts in a storage of the `limits` library, which raises `failures` when it can't be asked."""
        # Set up on an application of its own: its hooks would cost every request, and none of them is wanted.
        self._limiter = Limiter(
            lambda: addresses.of(request.environ),
            app=Flask("kozyr-rates"),
            storage_uri=storage_uri,
            storage_options=dict(storage_options or {}),
            strategy="fixed-window",
        )
        self._rates = rates
        self._items: dict[RateScope, RateLimitItem] = {
            of: RateLimitItemPerSecond(rate.limit, rate.window_s, of.value)
            for of, rate in rates.items()
            if rate.limit
        }
        self._addresses = addresses
        self._failures = failures
        self._over: OrderedDict[tuple[RateScope, str], float] = OrderedDict()
        self._told = -_SILENCE_S

    def count(self, of: RateScope, whom: str, cost: int = 1) -> CountedRequest | None:
        """Count, and say how `whom` stands; `None` where there is no limit, or nobody can tell."""
        item = self._items.get(of)
        if item is None:
            return None
        rate, key = self._rates[of], (of, whom)
        until = self._over.get(key)
        if until is not None:
            # Nothing is gained by counting on what is over: the store is not asked again in this window.
            rest = until - time.monotonic()
            if rest > 0:
                return CountedRequest(of, whom, rate, 0, math.ceil(rest), True)
            self._over.pop(key, None)
        strategy = self._limiter.limiter
        try:
            within = strategy.hit(item, whom, cost=cost)
            stats = strategy.get_window_stats(item, whom)
        except self._failures as error:
            self._tell(error)
            return None
        rest = max(0.0, stats.reset_time - time.time())
        if not within:
            self._over[key] = time.monotonic() + rest
            while len(self._over) > _MOST_REMEMBERED:
                self._over.popitem(last=False)
        return CountedRequest(of, whom, rate, stats.remaining, math.ceil(rest), not within)

    def of_address(self, of: RateScope) -> CountedRequest | None:
        """Count the present request's address."""
        return self.count(of, self._addresses.of(request.environ))

    def _tell(self, error: Exception) -> None:
        now = time.monotonic()
        if now - self._told >= _SILENCE_S:
            self._told = now
            log.warning("rates can't be counted; nobody is refused for them", error=str(error))


def rates() -> Rates:
    """The rates of the application that serves the present request."""
    found: Rates = current_app.extensions["kozyr-rates"]
    return found


def check_token(token: Token, of: RateScope) -> None:
    """Count a request with a good token. Raises `Problem` for one too many. Whoever runs the service is not counted."""
    request.environ["kozyr.whom"] = token.subject
    if token.kind is not TokenKind.ADMIN:
        _check(rates().count(of, token.subject))


def check_bot(bot: str, of: RateScope, cost: int = 1) -> None:
    """Count a request of a bot with this id, as so many. Raises `Problem` for one too many."""
    request.environ["kozyr.whom"] = bot
    _check(rates().count(of, bot, cost))


def check_address(of: RateScope) -> None:
    """Count a request of this address. Raises `Problem` for one too many."""
    _check(rates().of_address(of))


def too_many_refused(bot: str, refused: int) -> Problem | None:
    """Count moves of a bot that were refused; what to say in the place of each refusal if they are too many."""
    request.environ["kozyr.whom"] = bot
    counted = rates().count(RateScope.REFUSED_MOVES, bot, refused)
    if counted is None:
        return None
    _show(counted)
    return _problem(counted) if counted.over else None


def charge(counted: list[CountedRequest], size: int) -> None:
    """Count a request once more for each so many bytes of its answer beyond the first: what takes long to make."""
    last = counted[-1]
    more = (
        rates().count(last.of, last.whom, size // AN_ANSWER) if size >= AN_ANSWER and not last.over else None
    )
    if more is not None:
        counted[-1] = more


def headers(counted: list[CountedRequest]) -> tuple[tuple[str, str], tuple[str, str]]:
    """The headers of draft-ietf-httpapi-ratelimit-headers for what was counted of a request."""
    return (
        (
            "RateLimit-Policy",
            ", ".join(f'"{one.of}";q={one.rate.limit};w={one.rate.window_s}' for one in counted),
        ),
        ("RateLimit", ", ".join(f'"{one.of}";r={one.left};t={one.reset_s}' for one in counted)),
    )


def _check(counted: CountedRequest | None) -> None:
    if counted is None:
        return
    _show(counted)
    if counted.over:
        raise _problem(counted)


def _show(counted: CountedRequest) -> None:
    """For the headers of the answer."""
    request.environ.setdefault("kozyr.counted", []).append(counted)


def _problem(counted: CountedRequest) -> Problem:
    rate = counted.rate
    return Problem(
        "rate_limited",
        f"more than {rate.limit} {counted.of.replace('_', ' ')} in {rate.window_s} s; "
        f"come again in {counted.reset_s} s (the limits are at /v1/limits)",
        {"Retry-After": str(max(1, counted.reset_s))},
        limit=counted.of.value,
        retry_ms=max(1, counted.reset_s) * 1000,
    )
