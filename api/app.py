"""The application: the parts it is handed, the resources, and what every request and answer goes through."""

from __future__ import annotations

import os
import time
from base64 import b32encode
from typing import Any, Final

import structlog
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from api import spec
from api.metrics import Metrics
from api.problems import answer_of, problem_of
from api.resources import accounts, games, ladders, matches, service, turns
from api.services import Services

log = structlog.get_logger("kozyr.api")

_LOOP: Final = frozenset({"turns.list_turns", "turns.make_moves", "turns.make_move", "service.get_health"})
"""What bots do all the time: answered well, it is worth a line at level debug only."""


def create_app(services: Services) -> Flask:
    """The API over these parts. Makes no connection and starts nothing."""
    app = Flask("kozyr", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = services.limits.max_body_bytes
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.extensions["kozyr-services"] = services
    app.extensions["kozyr-metrics"] = Metrics(services)
    app.extensions["kozyr-api"] = api = spec.configure(app, services.limits.version)
    for resource in (turns, matches, games, ladders, accounts, service):
        api.register_blueprint(resource.blueprint)
    service.add_pages(app)
    _dress(app, services)
    return app


def _dress(app: Flask, services: Services) -> None:
    metrics: Metrics = app.extensions["kozyr-metrics"]
    monotonic = time.monotonic

    def begin() -> None:
        g.began = monotonic()
        g.request_id = b32encode(os.urandom(10)).decode().lower()

    def finish(response: Response) -> Response:
        seconds = monotonic() - g.began
        endpoint = request.endpoint or "unknown"
        headers = response.headers
        headers["X-Request-Id"] = g.request_id
        headers["X-Content-Type-Options"] = "nosniff"
        headers.setdefault("Cache-Control", "no-store")
        metrics.answered(endpoint, response.status_code, seconds)
        say = log.debug if endpoint in _LOOP and response.status_code < 400 else log.info
        say(
            "request",
            request_id=g.request_id,
            method=request.method,
            route=str(request.url_rule or "unknown"),
            status=response.status_code,
            ms=round(seconds * 1000, 1),
        )
        return response

    def refuse(error: Exception) -> Response:
        problem = problem_of(error, services.store_errors)
        if problem.code == "internal_error":
            log.error("internal error", request_id=g.get("request_id"), exc_info=_without_state(error))
        return answer_of(problem)

    app.before_request(begin)
    app.after_request(finish)
    app.register_error_handler(Exception, refuse)
    app.register_error_handler(HTTPException, refuse)


def _without_state(error: Exception) -> Any:
    """The error for the log."""
    return type(error), error, error.__traceback__
