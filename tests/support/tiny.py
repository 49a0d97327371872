"""A minimal application for the server's tests. It reports the requests it got, and has polls that wait.

It is no part of the service: `gunicorn -c python:kozyr.serve.gunicorn_conf 'tests.support.tiny:create()'`.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from flask import Flask, Response, request
from gevent.event import Event


class Waiting:
    """A stand-in for `app.extensions["kozyr"]`, which starts with the worker and closes when the worker must stop."""

    def __init__(self) -> None:
        self.started = False
        self.closed = Event()
        self.waiting = 0

    def start(self) -> None:
        self.started = True

    def close(self) -> None:
        self.closed.set()

    def wait(self, seconds: float) -> bool:
        self.waiting += 1
        try:
            return self.closed.wait(seconds)
        finally:
            self.waiting -= 1


class TakesAll:
    """A stand-in for `api.front.Front`: with it, the server answers all plain requests without gunicorn."""

    def takes(self, method: str, path: str) -> bool:
        return True


def create(*, direct: bool = False) -> Flask:
    app = Flask(__name__)
    if direct:
        app.extensions["kozyr-front"] = TakesAll()
    waiting = app.extensions["kozyr"] = Waiting()

    seen: Counter[str] = Counter()

    @app.before_request
    def count() -> None:
        seen[f"{request.method} {request.path}{' abandoned' * ('kozyr.gone' in request.environ)}"] += 1

    @app.get("/readyz")
    def ready() -> dict[str, Any]:
        return {"pid": os.getpid(), "started": waiting.started, "waiting": waiting.waiting, "seen": seen}

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

    return app
