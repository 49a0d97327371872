"""The Flask application: its resources, and what every request and response passes through."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import structlog
from flask import Flask, Request, Response, request
from flask.sessions import NullSession, SessionInterface
from werkzeug.exceptions import HTTPException

from api.contract import spec
from api.headers import Headers, of_data, of_pages, of_pictures
from api.limits.rates import STREAM_BYTES, CountedRequest, Rates
from api.limits.rates import headers as rate_headers
from api.limits.refusals import Refusals
from api.llms import add_llms
from api.metrics import Metrics
from api.moves.pipeline import MovePipeline
from api.problems import allow, answer_of, problem_of, request_id
from api.resources import (
    accounts,
    admin,
    badges,
    checks,
    frames,
    games,
    groups,
    ladders,
    matches,
    queue,
    ratings,
    rounds,
    seasons,
    service,
    standings,
    statistics,
    turns,
    webhooks,
)
from api.services import Services
from api.tables import PICTURES
from referee.after_commit import Hook

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = structlog.get_logger("kozyr.api")

_LOOP: Final = frozenset({"turns.list_turns", "turns.make_moves", "turns.make_move", "service.get_health"})
"""The endpoints that bots call all the time. Their successful requests are not logged."""


class _NoSessions(SessionInterface):
    """No sessions: requests carry tokens."""

    _null = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        """Return the null session without reading a cookie."""
        return self._null

    def is_null_session(self, obj: object) -> bool:
        """Return true."""
        return True


class Application(Flask):
    """A Flask application that skips hooks and sessions, which would cost every request time."""

    session_interface = _NoSessions()
    data_headers: Headers = of_data(behind_tls=False)
    own_headers: Mapping[str, Headers] = {}
    """Headers of pages and pictures by endpoint. Other endpoints get `data_headers`."""

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        """Note the start of the request and give it an id."""
        environ["kozyr.began"] = time.monotonic()
        environ["kozyr.request_id"] = os.urandom(10).hex()
        return super().wsgi_app(environ, start_response)

    def preprocess_request(self) -> None:
        """Run no hooks before the handler."""

    def make_default_options_response(self) -> Response:
        """Return the response to `OPTIONS`, with a sorted `Allow` header."""
        response = super().make_default_options_response()
        response.headers["Allow"] = allow(response.allow)
        return response

    def process_response(self, response: Response) -> Response:
        """Add the headers, count the request and log it."""
        current: Request = request._get_current_object()  # type: ignore[attr-defined]  # once, not at each use
        environ, endpoint, status = current.environ, current.endpoint or "unknown", response.status_code
        seconds = time.monotonic() - environ["kozyr.began"]
        services: Services = self.extensions["kozyr-services"]
        metrics: Metrics = self.extensions["kozyr-metrics"]
        after = services.after
        headers = response.headers
        headers.add("X-Request-Id", environ["kozyr.request_id"])
        headers.extend(self.own_headers.get(endpoint, self.data_headers))
        if "kozyr.counted" in environ:
            after.run(Hook.RATES, lambda: self._charge(response, environ["kozyr.counted"]), None)
        if "Cache-Control" not in headers:
            headers.add("Cache-Control", "no-store")
        after.run(Hook.METRICS, lambda: metrics.answered(endpoint, status, seconds), None)
        after.run(Hook.LOG, lambda: self._log(current, status, seconds), None)
        return response

    def _charge(self, response: Response, counted: list[CountedRequest]) -> None:
        rates: Rates = self.extensions["kozyr-rates"]
        rates.charge(counted, STREAM_BYTES if response.is_streamed else response.content_length or 0)
        response.headers.extend(rate_headers(counted))

    def _log(self, current: Request, status: int, seconds: float) -> None:
        environ, endpoint, rule = (
            current.environ,
            current.endpoint or "unknown",
            str(current.url_rule or "unknown"),
        )
        if self._is_worth_a_line(environ, endpoint, f"{status} {rule}", status):
            log.info(
                "request",
                request_id=environ["kozyr.request_id"],
                method=current.method,
                route=rule,
                status=status,
                ms=round(seconds * 1000, 1),
            )

    def _is_worth_a_line(self, environ: WSGIEnvironment, endpoint: str, what: str, status: int) -> bool:
        if status < 400 or status == 500:
            return endpoint not in _LOOP or status == 500
        services: Services = self.extensions["kozyr-services"]
        refusals: Refusals = self.extensions["kozyr-refusals"]
        return refusals.is_worth_a_line(environ.get("kozyr.whom") or services.addresses.of(environ), what)


def create_app(services: Services) -> Flask:
    """Return the application. Opens no connection and starts nothing."""
    app = Application("kozyr", static_folder=None)
    app.data_headers = of_data(services.behind_tls)
    app.own_headers = {
        **dict.fromkeys(service.PAGES, of_pages(services.behind_tls)),
        **dict.fromkeys(PICTURES, of_pictures(services.behind_tls)),
    }
    app.config["MAX_CONTENT_LENGTH"] = services.limits.max_body_bytes
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.extensions["kozyr-services"] = services
    app.extensions["kozyr-metrics"] = Metrics(services)
    app.extensions["kozyr-refusals"] = Refusals(every=services.log_every_refusal)
    app.extensions["kozyr-rates"] = Rates(
        services.limits.rates,
        services.addresses,
        services.rate_storage,
        services.rate_options,
        services.store_errors,
    )
    app.extensions["kozyr-moves"] = MovePipeline(
        services, app.extensions["kozyr-metrics"], app.extensions["kozyr-rates"]
    )
    app.extensions["kozyr-api"] = api = spec.configure(app, services.limits.version)
    for resource in (
        turns,
        matches,
        queue,
        frames,
        checks,
        statistics,
        groups,
        games,
        ladders,
        rounds,
        standings,
        seasons,
        ratings,
        badges,
        accounts,
        admin,
        webhooks,
        service,
    ):
        api.register_blueprint(resource.blueprint)
    service.add_pages(app)
    add_llms(app)

    def refuse(error: Exception) -> Response:
        problem = problem_of(error, services.store_errors, services.full_errors)
        if problem.code == "internal_error":
            log.error("internal error", request_id=request_id(), exc_info=error)
        return answer_of(problem)

    app.register_error_handler(Exception, refuse)
    app.register_error_handler(HTTPException, refuse)
    return app
