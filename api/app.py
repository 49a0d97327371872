"""The Flask application: its resources, and what every request and response passes through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, request
from flask.sessions import NullSession, SessionInterface
from werkzeug.exceptions import HTTPException

from api.epilogue import BOT_LOOP, LOOP, Epilogue, RouteName, begin, reply_to
from api.formats.tables import PICTURES
from api.front import Front
from api.hosts import Hosts
from api.http.compression import compress
from api.http.cross_origin import allow_origin, of_origins
from api.http.headers import Headers, of_data, of_pages, of_pictures
from api.http.server_sent import STREAMS
from api.limits.metering import meter_of, metered
from api.limits.rates import Rates, RateScope
from api.limits.refusals import Refusals
from api.llms import add_llms
from api.metrics import Metrics
from api.moves.bot_loop import BotLoop
from api.problems import allow, request_id
from api.resources import (
    account_streams,
    accounts,
    admin,
    checks,
    dumps,
    frames,
    games,
    groups,
    matches,
    queue,
    reviews,
    service,
    streams,
    turns,
    webhooks,
)
from api.resources.league import badges, ladders, ratings, rounds, seasons, standings, statistics
from api.services import Services
from referee.service.admission import SpaceGate

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


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
    scheme = "http"
    """Of the addresses in pages. A proxy that speaks HTTPS with the clients speaks HTTP with the service."""
    path_prefix = ""
    """The path below which a proxy offers the service."""
    own_headers: Mapping[str, Headers] = {}
    """Headers of pages and pictures by endpoint. Other endpoints get `data_headers`."""

    cors_origins: frozenset[str] = frozenset()
    """The origins whose pages may read responses."""
    hosts = Hosts()

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        """Answer the requests of a bot's loop in front of Flask, all others in Flask."""
        begin(environ)
        environ["wsgi.url_scheme"] = self.scheme
        front: Front | None = self.extensions.get("kozyr-front")
        answered = None if front is None else front(environ, start_response)
        environ["SCRIPT_NAME"] = self.path_prefix
        return super().wsgi_app(environ, start_response) if answered is None else answered

    uncounted: frozenset[str | None] = frozenset()
    """The endpoints whose handlers count no request. `None` is a path without a handler."""

    def preprocess_request(self) -> None:
        """Count a request that no handler counts. Raise `Problem` for one to another host. Run no hooks."""
        current: Request = request._get_current_object()  # type: ignore[attr-defined]  # once, not at each use
        is_probe = current.endpoint in service.PROBES
        if is_probe or current.endpoint in self.uncounted or current.method == "OPTIONS":
            rates: Rates = self.extensions["kozyr-rates"]
            rates.check_address(current.environ, RateScope.PROBES if is_probe else RateScope.PAGES)
        self.hosts.check(current.environ)

    def make_default_options_response(self) -> Response:
        """Return the response to `OPTIONS`, with a sorted `Allow` header."""
        response = super().make_default_options_response()
        response.headers["Allow"] = allow(response.allow)
        return response

    def process_response(self, response: Response) -> Response:
        """Add the headers, count the request and log it."""
        current: Request = request._get_current_object()  # type: ignore[attr-defined]  # once, not at each use
        endpoint, headers = current.endpoint or "unknown", response.headers
        epilogue: Epilogue = self.extensions["kozyr-epilogue"]
        if endpoint in BOT_LOOP:
            epilogue.note_watched(
                current.environ,
                response.status_code,
                lambda: b"" if response.is_streamed else response.get_data(),
            )
        more = epilogue.end(
            current.environ,
            RouteName(endpoint, str(current.url_rule or "unknown"), current.method),
            response.status_code,
            size=None if response.is_streamed else response.content_length or 0,
            cached="Cache-Control" in headers,
        )
        if "Content-Security-Policy" not in headers:  # pages of the site bring their own
            headers.extend(self.own_headers.get(endpoint, self.data_headers))
        headers.extend(more)
        if response.is_streamed and STREAMS not in current.environ:
            self._meter(current, response)
        if self.path_prefix and headers.get("Location", "").startswith("/"):
            headers["Location"] = self.path_prefix + headers["Location"]
        if endpoint not in LOOP:
            compress(current, response)
        if self.cors_origins:
            allow_origin(current, response, self.cors_origins)
        return response

    def _meter(self, current: Request, response: Response) -> None:
        """Charge a stream by what it sends."""
        meter = meter_of(self.extensions["kozyr-rates"], current.environ.get("kozyr.counted", ()))
        if meter is not None:
            response.response = metered(response.response, meter)  # type: ignore[arg-type]  # streams of ours are bytes
            response.direct_passthrough = False


def create_app(services: Services, *, front: bool = True) -> Flask:
    """Return the application. Opens no connection and starts nothing.

    Without `front`, Flask answers the requests of a bot's loop too.
    """
    app = Application("kozyr", static_folder=None)
    app.data_headers = of_data(services.behind_tls)
    app.scheme = "https" if services.behind_tls else "http"
    app.path_prefix = services.path_prefix
    app.cors_origins = services.cors_origins
    app.hosts = services.hosts
    app.own_headers = {
        **dict.fromkeys(service.PAGES, of_pages(services.behind_tls)),
        **dict.fromkeys(PICTURES, of_pictures(services.behind_tls)),
    }
    app.uncounted = frozenset({None, "llms", "site_static", *service.PAGES})
    app.config["MAX_CONTENT_LENGTH"] = services.limits.max_body_bytes
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.extensions["kozyr-services"] = services
    metrics, refusals = Metrics(services), Refusals(every=services.log_every_refusal)
    rates = Rates(
        services.limits.rates,
        services.addresses,
        services.rate_counters,
        services.store_errors,
        SpaceGate(services.service).check,
    )
    loop, epilogue = BotLoop(services, metrics, rates), Epilogue(services, metrics, rates, refusals)
    app.extensions["kozyr-metrics"], app.extensions["kozyr-refusals"] = metrics, refusals
    app.extensions["kozyr-rates"] = rates
    app.extensions["kozyr-loop"], app.extensions["kozyr-epilogue"] = loop, epilogue
    if front:
        app.extensions["kozyr-front"] = Front(
            services, loop, epilogue, (*app.data_headers, *of_origins(services.cors_origins))
        )
    for resource in (
        turns,
        matches,
        queue,
        frames,
        reviews,
        streams,
        account_streams,
        checks,
        dumps,
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
        app.register_blueprint(resource.blueprint)
    service.add_pages(app)
    add_llms(app)

    def refuse(error: Exception) -> Response:
        return reply_to(error, services, request_id()).to_flask()

    app.register_error_handler(Exception, refuse)
    app.register_error_handler(HTTPException, refuse)
    return app
