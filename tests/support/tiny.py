"""A minimal application for the server's tests. It reports the requests it got, and has polls that wait.

It is no part of the service: `gunicorn -c python:server.gunicorn_conf 'tests.support.tiny:create()'`.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from flask import Flask, Response, request
from gevent import Greenlet
from gevent.event import Event

from api.http.replies import PAUSES, waited_out
from referee.polling.waiter import Pause, Waiter

LONGEST_S = 1000.0


class Waiting:
    """A stand-in for `app.extensions["kozyr"]`, which starts with the worker and closes when the worker must stop."""

    def __init__(self) -> None:
        self.started = False
        self.closed = Event()
        self.waiting = 0
        self.waiters: set[Waiter] = set()

    def start(self) -> None:
        self.started = True

    def close(self) -> None:
        self.closed.set()
        self.wake()

    def wake(self) -> None:
        for waiter in list(self.waiters):
            waiter.wake()

    def paused(self, environ: Any, start_response: Any) -> Iterator[Pause | bytes]:
        """Respond after a pause, of at most as many seconds as the query says. A longer one fails."""
        waiter, seconds = Waiter(), float(environ["QUERY_STRING"])
        self.waiters.add(waiter)
        self.waiting += 1
        try:
            yield Pause(waiter, seconds)
        finally:
            self.waiters.discard(waiter)
            self.waiting -= 1
        if seconds > LONGEST_S:
            raise ValueError("the pause was too long")
        body = b"woken" if waiter.woken else b"late"
        start_response("200 OK", [("Content-Length", str(len(body)))])
        yield body

    def wait(self, seconds: float) -> bool:
        self.waiting += 1
        try:
            return self.closed.wait(seconds)
        finally:
            self.waiting -= 1


class TakesAll:
    """A stand-in for `BotLoop`: with it, the server answers all plain requests without gunicorn."""

    def takes(self, method: str, path: str) -> bool:
        return True


def create(*, direct: bool = False) -> Flask:
    app = Flask(__name__)
    if direct:
        app.extensions["kozyr-loop"] = TakesAll()
    waiting = app.extensions["kozyr"] = Waiting()

    seen: Counter[str] = Counter()

    @app.before_request
    def count() -> None:
        seen[f"{request.method} {request.path}{' abandoned' * ('kozyr.gone' in request.environ)}"] += 1

    @app.get("/readyz")
    def ready() -> dict[str, Any]:
        running = sum(isinstance(each, Greenlet) and bool(each) for each in gc.get_objects())
        return {
            "pid": os.getpid(),
            "started": waiting.started,
            "waiting": waiting.waiting,
            "seen": seen,
            "greenlets": running,
        }

    @app.post("/wake")
    def wake() -> str:
        waiting.wake()
        return "woken"

    @app.post("/echo")
    def echo() -> Response:
        return Response(request.get_data(), headers={"Arrived": str(request.environ["kozyr.arrived"])})

    @app.post("/blind")
    def blind() -> str:
        return "the body was not read"

    @app.get("/large")
    def large() -> bytes:
        return b"x" * 50_000_000

    @app.get("/wait")
    def wait() -> dict[str, Any]:
        return {"pid": os.getpid(), "closed": waiting.wait(60)}

    flask_app = app.wsgi_app

    def wsgi_app(environ: Any, start_response: Any) -> Any:
        if environ["PATH_INFO"] != "/pause":
            return flask_app(environ, start_response)
        steps = waiting.paused(environ, start_response)
        return steps if PAUSES in environ else waited_out(steps)

    app.wsgi_app = wsgi_app  # type: ignore[method-assign]
    return app
