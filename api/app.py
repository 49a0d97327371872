"""The Flask application: its resources, and what every request and response passes through. The WSGI application of a
bot's loop is mounted before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from api.http.compression import compress
from api.http.cross_origin import allow_origin, of_origins
from api.http.headers import Headers, of_data, of_pages, of_pictures
from api.http.server_sent import STREAMS
from api.limits.metering import meter_of, metered
from api.limits.rates import Rates, RateScope
from api.limits.refusals import Refusals
from api.llms import add_llms
from api.metrics import Metrics
from api.moves.application import BotLoop
from api.problems import allow, request_id
from api.request_end import HEALTH, PROBES, RequestEnd, RouteName, reply_to
from api.resources import (
    accounts,
    admin,
    checks,
    dumps,
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
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PATIENCE_S: Final = 1.5
"""How long a browser waits for the store, so that a person reads within two seconds that it is away."""


def create_app(services: Services) -> Flask:
    """Return the application. Opens no connection and starts nothing."""
    app = Flask("kozyr", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = services.limits.max_body_bytes
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    metrics, refusals = Metrics(services), Refusals(every=services.log_every_refusal)
    rates = Rates(
        services.limits.rates,
        services.addresses,
        services.rate_counters,
        services.store_errors,
        SpaceGate(services.service).check,
    )
    request_end = RequestEnd(services, metrics, rates, refusals)
    headers = (*of_data(services.behind_tls), *of_origins(services.cors_origins))
    loop = BotLoop(services, metrics, rates, request_end, headers, _behind_proxy(app.wsgi_app, services))
    app.extensions["kozyr-services"] = services
    app.extensions["kozyr-metrics"], app.extensions["kozyr-refusals"] = metrics, refusals
    app.extensions["kozyr-rates"], app.extensions["kozyr-loop"] = rates, loop
    app.wsgi_app = loop  # type: ignore[method-assign]  # as Flask documents it
    _enter(app, services, rates)
    _leave(app, services, request_end, rates)
    for blueprint in (
        *(turns.blueprint, matches.blueprint, queue.blueprint, matches.facts_of_match, matches.frames),
        *(reviews.blueprint, reviews.endings, streams.blueprint, streams.account_streams, checks.blueprint),
        *(dumps.blueprint, statistics.blueprint, groups.blueprint, games.blueprint, ladders.blueprint),
        *(rounds.blueprint, standings.blueprint, seasons.blueprint, ratings.models, ratings.blueprint),
        *(badges.blueprint, accounts.blueprint, admin.blueprint, admin.audit, webhooks.blueprint),
        service.blueprint,
    ):
        app.register_blueprint(blueprint)
    service.add_pages(app)
    add_llms(app)

    def refuse(error: Exception) -> Response:
        found = reply_to(error, services, request_id())
        return Response(found.body, found.status, found.headers, content_type=found.content_type)

    app.register_error_handler(Exception, refuse)
    app.register_error_handler(HTTPException, refuse)
    return app


def _behind_proxy(application: WSGIApplication, services: Services) -> WSGIApplication:
    """Return the application at the address at which clients see it. A proxy that speaks HTTPS with them speaks HTTP
    with the service."""
    scheme, prefix = "https" if services.behind_tls else "http", services.path_prefix

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.url_scheme"], environ["SCRIPT_NAME"] = scheme, prefix
        if "text/html" not in environ.get("HTTP_ACCEPT", ""):
            return application(environ, start_response)
        with services.patience(PATIENCE_S):
            return application(environ, start_response)

    return answer


def _enter(app: Flask, services: Services, rates: Rates) -> None:
    """Let Flask count each request that no handler counts, and refuse one to another host."""
    by_site = ("site_static", "site_together.shown_step")
    uncounted, hosts = frozenset({None, "llms", "skill", *by_site, *service.PAGES}), services.hosts

    @app.before_request
    def enter() -> None:
        is_probe = request.endpoint in PROBES
        if is_probe or request.endpoint in uncounted or request.method == "OPTIONS":
            rates.check_address(request.environ, RateScope.PROBES if is_probe else RateScope.PAGES)
        hosts.check(request.environ)
        if not is_probe:
            # Pages without stored data need no store, and others must not wait for it twice.
            with suppress(*services.store_errors), services.patience(PATIENCE_S):
                services.accounts.learn_names()


def _leave(app: Flask, services: Services, request_end: RequestEnd, rates: Rates) -> None:
    """Let Flask add the headers of each response, count it and log it, after all hooks that are registered later."""
    data_headers, origins, prefix = of_data(services.behind_tls), services.cors_origins, services.path_prefix
    own_headers: Mapping[str, Headers] = {
        **dict.fromkeys(service.PAGES, of_pages(services.behind_tls)),
        badges.ENDPOINT: of_pictures(services.behind_tls),
    }

    @app.after_request
    def leave(response: Response) -> Response:
        endpoint, headers = request.endpoint or "unknown", response.headers
        if request.method == "OPTIONS" and response.allow:
            headers["Allow"] = allow(response.allow)
        more = request_end.end(
            request.environ,
            RouteName(endpoint, str(request.url_rule or "unknown"), request.method),
            response.status_code,
            size=None if response.is_streamed else response.content_length or 0,
            cached="Cache-Control" in headers,
        )
        if "Content-Security-Policy" not in headers:  # pages of the site bring their own
            headers.extend(own_headers.get(endpoint, data_headers))
        headers.extend(more)
        if response.is_streamed and STREAMS not in request.environ:
            _meter(response, rates)
        if prefix and headers.get("Location", "").startswith("/"):
            headers["Location"] = prefix + headers["Location"]
        if endpoint != HEALTH:
            compress(request, response)
        if origins:
            allow_origin(request, response, origins)
        return response


def _meter(response: Response, rates: Rates) -> None:
    """Charge a stream by what it sends."""
    meter = meter_of(rates, request.environ.get("kozyr.counted", ()))
    if meter is not None:
        response.response = metered(response.response, meter)  # type: ignore[arg-type]  # streams of ours are bytes
        response.direct_passthrough = False
