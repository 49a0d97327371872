"""Log a request of a bot whose owner watches it (`league.watching`)."""

from __future__ import annotations

import time
from io import BytesIO
from typing import TYPE_CHECKING, Final

from league.watching.service import WatchedRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.services import Services

_MOST_SENT: Final = 2_000
"""How many bytes of a request are logged."""
_MOST_RECEIVED: Final = 8_000
"""How many bytes of a response are logged."""


def note_watched(services: Services, environ: WSGIEnvironment, status: int, body: bytes) -> None:
    """Log a request of a bot's loop and its response, if the bot is watched. Headers, and so tokens, are not logged."""
    bot: str | None = environ.get("kozyr.whom")
    if bot is None or bot not in services.watch.bots:
        return
    query = environ.get("QUERY_STRING", "")
    services.watch.note(
        bot,
        WatchedRequest(
            services.watch.now(),
            round((time.monotonic() - environ["kozyr.began"]) * 1000, 1),
            environ["REQUEST_METHOD"],
            environ["PATH_INFO"] + (f"?{query[:500]}" if query else ""),
            status,
            _sent(environ),
            _text(body[:_MOST_RECEIVED]),
        ),
    )


def _sent(environ: WSGIEnvironment) -> str:
    """Return the beginning of the request's body, which has been read; empty for one that came in pieces."""
    body = environ["wsgi.input"]
    return _text(body.getvalue()[:_MOST_SENT]) if isinstance(body, BytesIO) else ""


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")
