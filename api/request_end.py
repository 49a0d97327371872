"""The beginning and the end of every request: its id, the common headers, rate limits, metrics and the log line."""

from __future__ import annotations

import os
import time
from io import BytesIO
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog

from api.limits.rates import CountedRequest
from api.limits.rates import headers as rate_headers
from api.problems import reply_of
from league.watching.service import WatchedRequest
from referee.after_commit import AfterCommitStep

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.http.headers import Headers
    from api.http.replies import HttpReply
    from api.limits.rates import Rates
    from api.limits.refusals import Refusals
    from api.metrics import Metrics
    from api.services import Services


log = structlog.get_logger("kozyr.api")

HEALTH: Final = "service.get_health"
PROBES: Final = frozenset({HEALTH, "service.get_readiness"})
UNLOGGED: Final = PROBES | {"turns.list_turns", "turns.make_moves", "turns.make_move"}
"""The endpoints that are called all the time. Their successful requests are not logged."""


class RouteName(NamedTuple):
    """The route of a request, as metrics and the log name it."""

    endpoint: str
    rule: str
    method: str


def begin(environ: WSGIEnvironment) -> None:
    """Note the start of a request and give it an id."""
    environ["kozyr.began"] = time.monotonic()
    environ["kozyr.request_id"] = os.urandom(10).hex()


class RequestEnd:
    """Ends requests. One instance serves the application."""

    def __init__(self, services: Services, metrics: Metrics, rates: Rates, refusals: Refusals) -> None:
        self._services, self.metrics, self.rates, self.refusals = services, metrics, rates, refusals

    def end(
        self,
        environ: WSGIEnvironment,
        route: RouteName,
        status: int,
        *,
        size: int | None,
        cached: bool = False,
    ) -> Headers:
        """Count and log a response. Return its headers, without those of `api.http.headers`.

        `size` is that of the body in bytes, `None` for a stream, which `api.limits.metering` charges. With `cached` the
        response has its `Cache-Control`.
        """
        seconds = time.monotonic() - environ["kozyr.began"]
        after_commit = self._services.after_commit
        headers: Headers = (("X-Request-Id", environ["kozyr.request_id"]),)
        if "kozyr.counted" in environ:
            counted = environ["kozyr.counted"]
            none: Headers = ()
            headers += after_commit.run(AfterCommitStep.RATES, lambda: self._charge(counted, size), none)
        if not cached:
            headers += (("Cache-Control", "no-store"),)
        after_commit.run(
            AfterCommitStep.METRICS, lambda: self.metrics.answered(route.endpoint, status, seconds), None
        )
        if status >= 400 or route.endpoint not in UNLOGGED:
            after_commit.run(AfterCommitStep.LOG, lambda: self._log(environ, route, status, seconds), None)
        return headers

    def note_watched(self, environ: WSGIEnvironment, status: int, body: bytes) -> None:
        """Log a request of a bot's loop and its response, if the bot is watched. Headers, and so tokens, are not
        logged."""
        watch = self._services.watch
        bot: str | None = environ.get("kozyr.whom")
        if bot is not None and bot in watch.bots:
            self._services.after_commit.run(
                AfterCommitStep.LOG,
                lambda: watch.note(bot, _watched(watch.now(), environ, status, body)),
                None,
            )

    def _charge(self, counted: list[CountedRequest], size: int | None) -> Headers:
        if size is not None:
            self.rates.charge(counted, size)
        return rate_headers(counted)

    def _log(self, environ: WSGIEnvironment, route: RouteName, status: int, seconds: float) -> None:
        if self._is_worth_a_line(environ, f"{status} {route.rule}", status):
            log.info(
                "request",
                request_id=environ["kozyr.request_id"],
                method=route.method,
                route=route.rule,
                status=status,
                ms=round(seconds * 1000, 1),
            )

    def _is_worth_a_line(self, environ: WSGIEnvironment, what: str, status: int) -> bool:
        if status < 400 or status == 500:
            return True
        whom = environ.get("kozyr.whom") or self._services.addresses.of(environ)
        return self.refusals.is_worth_a_line(whom, what)


def reply_to(error: Exception, services: Services, request_id: str) -> HttpReply:
    """Return the response to a request that raised this exception. Log an unexpected one."""
    problem = services.problem_of(error)
    if problem.code == "internal_error":
        log.error("internal error", request_id=request_id, exc_info=error)
    return reply_of(problem, request_id)


_MOST_SENT: Final = 2_000
"""How many bytes of a request are logged."""
_MOST_RECEIVED: Final = 8_000
"""How many bytes of a response are logged."""


def _watched(now: int, environ: WSGIEnvironment, status: int, body: bytes) -> WatchedRequest:
    query = environ.get("QUERY_STRING", "")
    return WatchedRequest(
        now,
        round((time.monotonic() - environ["kozyr.began"]) * 1000, 1),
        environ["REQUEST_METHOD"],
        environ["PATH_INFO"] + (f"?{query[:500]}" if query else ""),
        status,
        _sent(environ),
        _text(body[:_MOST_RECEIVED]),
    )


def _sent(environ: WSGIEnvironment) -> str:
    """Return the beginning of the request's body, which has been read; empty for one that came in pieces."""
    body = environ["wsgi.input"]
    return _text(body.getvalue()[:_MOST_SENT]) if isinstance(body, BytesIO) else ""


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")
