"""`/metrics` on a port of its own, which bots don't share and no proxy has to hide.

gunicorn's master opens the port, so that a start on a taken port fails. The workers inherit it. Whichever answers a
scrape reports the totals of all, and goes on with other requests meanwhile.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def listen(host: str, port: int) -> socket.socket:
    """Open the port. Raise `OSError` if it is taken."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def serve(listener: socket.socket, text: Callable[[], bytes]) -> None:
    """Answer scrapes with this text, in greenlets of this process."""
    import gevent.socket
    from gevent.pywsgi import WSGIServer

    # The master made the socket before gevent replaced the module.
    own: Any = gevent.socket.socket(fileno=os.dup(listener.fileno()))
    own.setblocking(False)
    WSGIServer(own, application(text), log=None).start()


def application(
    text: Callable[[], bytes],
) -> Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]:
    """Return the WSGI application with `/metrics` alone."""
    from prometheus_client import CONTENT_TYPE_LATEST

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/metrics" or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            start_response("404 NOT FOUND", [("Content-Type", "text/plain")])
            return [b"the metrics are at GET /metrics\n"]
        body = text()
        start_response("200 OK", [("Content-Type", CONTENT_TYPE_LATEST), ("Content-Length", str(len(body)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    return answer
