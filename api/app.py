"""The application: the parts it is handed, the resources, and what every request and answer goes through."""

from __future__ import annotations

import os
import time
from typing import Any, Final

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from api import spec
from api.metrics import Metrics
from api.problems import answer_of, problem_of, request_id
from api.resources import accounts, games, ladders, matches, service, turns
from api.services import Services

log = structlog.get_logger("kozyr.api")

_LOOP: Final = frozenset({"turns.list_turns", "turns.make_moves", "turns.make_move", "service.get_health"})
"""What bots do all the time: answered well, it is worth a line only if the settings ask for all (`log_all`)."""


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
    monotonic, log_all = time.monotonic, services.log_all

    def begin() -> None:
        environ = request.environ
        environ["kozyr.began"] = monotonic()
        environ["kozyr.request_id"] = os.urandom(10).hex()

    def finish(response: Response) -> Response:
        asked = request._get_current_object()  # type: ignore[attr-defined]  # once, instead of at each use
        environ, endpoint, status = asked.environ, asked.endpoint or "unknown", response.status_code
        seconds = monotonic() - environ["kozyr.began"]
        headers = response.headers
        headers["X-Request-Id"] = environ["kozyr.request_id"]
        headers["X-Content-Type-Options"] = "nosniff"
        headers.setdefault("Cache-Control", "no-store")
        metrics.answered(endpoint, status, seconds)
        if endpoint not in _LOOP or status >= 400 or log_all:
            log.info(
                "request",
                request_id=environ["kozyr.request_id"],
                method=asked.method,
                route=str(asked.url_rule or "unknown"),
                status=status,
                ms=round(seconds * 1000, 1),
            )
        return response

    def refuse(error: Exception) -> Response:
        problem = problem_of(error, services.store_errors)
        if problem.code == "internal_error":
            log.error("internal error", request_id=request_id(), exc_info=_without_state(error))
        return answer_of(problem)

    app.before_request(begin)
    app.after_request(finish)
    app.register_error_handler(Exception, refuse)
    app.register_error_handler(HTTPException, refuse)


def _without_state(error: Exception) -> Any:
    """The error for the log."""
    return type(error), error, error.__traceback__
