"""A web server of a test, which answers as a function says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from werkzeug import Request, Response
from werkzeug.serving import WSGIRequestHandler, make_server

Answer = Callable[[Request], Response]


class QuietHandler(WSGIRequestHandler):
    """Logs nothing."""

    def log(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Serve on a free loopback port, each request in a thread of its own. Yield the address."""
    app = Request.application(answer)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=QuietHandler)
    server.block_on_close = False  # type: ignore[attr-defined]  # a threaded server has it
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
