"""Plain requests of a bot's loop, read and answered without gunicorn's parser, request and response objects.

This module accepts only what every client of ours sends: HTTP/1.1, a plain path and query, and a few well-known
headers, each once. **It refuses nothing.** Whatever it does not understand at first sight goes to gunicorn, byte for
byte, so that there is one judge of odd requests. The application is called through WSGI in both cases. Here its
response may pause (`api.http.replies`): the worker then keeps the connection without a greenlet until it goes on.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from gunicorn import util

from api.http.replies import PAUSES
from referee.polling.waiter import Pause

Environ = dict[str, Any]
Application = Callable[..., Iterable[Pause | bytes]]

MOST_HEAD: Final = 4096
"""The longest header read here, in bytes."""
_LINE: Final = re.compile(r"(GET|POST) (/[A-Za-z0-9/]*)(?:\?([A-Za-z0-9_.=&-]*))? HTTP/1\.1")
_KEYS: Final[Mapping[str, str]] = {
    "content-length": "CONTENT_LENGTH",
    "content-type": "CONTENT_TYPE",
    **{
        name: "HTTP_" + name.upper().replace("-", "_")
        for name in (
            "accept",
            "accept-encoding",
            "accept-language",
            "authorization",
            "cache-control",
            "connection",
            "host",
            "user-agent",
            "via",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
        )
    },
}
"""The headers read here. None of the others in a request may be one that changes its framing or its meaning."""
_LENGTH: Final = re.compile(r"0|[1-9][0-9]{0,8}")


def read_head(data: bytes) -> tuple[Environ, bytes] | None:
    """Return the environment of a plain request and the beginning of its body, or `None` for any other data."""
    end = data.find(b"\r\n\r\n", 0, MOST_HEAD)
    if end < 0:
        return None
    try:
        line, *fields = data[:end].decode("ascii").split("\r\n")
    except UnicodeDecodeError:
        return None
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    method, path, query = found.groups()
    environ: Environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query or ""}
    for field in fields:
        name, _, value = field.partition(": ")
        key = _KEYS.get(name.lower())
        # `isprintable` is false for control characters.
        if key is None or key in environ or not value.isprintable() or value != value.strip():
            return None
        environ[key] = value
    has_body = method == "POST"
    if (
        "HTTP_HOST" not in environ
        or environ.get("HTTP_CONNECTION", "keep-alive").lower() != "keep-alive"
        or has_body != ("CONTENT_LENGTH" in environ)
        or (has_body and not _LENGTH.fullmatch(environ["CONTENT_LENGTH"]))
    ):
        return None
    return environ, data[end + 4 :]


class BodyReader:
    """The `wsgi.input` of a body of which a part has been read."""

    def __init__(self, begun: bytes, length: int, client: Any) -> None:
        self._begun, self._left, self._client = begun, length, client

    def read(self, size: int) -> bytes:
        """Return the next part of the body, empty at its end or that of the connection."""
        piece, self._begun = self._begun[:size], self._begun[size:]
        if not piece and self._left:
            piece = self._client.recv(min(size, self._left))
        self._left -= len(piece)
        return piece


class DirectRequest:
    """A request that gunicorn has not seen, and its response. Stands in for both of gunicorn's objects in the worker.

    `uri` names it where an error is logged.
    """

    kozyr_linger = False
    """Whether to read what the client still sends before the connection is closed."""

    def __init__(self, environ: Environ, client: Any, address: Any, application: Application) -> None:
        self.uri = environ["PATH_INFO"]
        self.must_close = False
        self._client = client
        self._status = ""
        self._headers: Sequence[tuple[str, str]] = ()
        self._application = application
        self._body: Iterable[Pause | bytes] = ()
        self._steps: Iterator[Pause | bytes] | None = None
        environ.update(
            {
                "REMOTE_ADDR": address[0] if isinstance(address, tuple) else "",
                "gunicorn.socket": client,
                "wsgi.url_scheme": "http",
                "SCRIPT_NAME": "",
                "SERVER_PROTOCOL": "HTTP/1.1",
                PAUSES: True,
            }
        )
        self.environ = environ

    @property
    def req(self) -> DirectRequest:
        """The request of this response, as gunicorn's response has it."""
        return self

    def take_body(self, begun: bytes, most: int) -> bool:
        """Take the body, if all of it came with the header. Return false for more bytes than the body has."""
        length = int(self.environ.get("CONTENT_LENGTH", 0))
        if len(begun) > length:
            return False
        if len(begun) == length <= most:
            self.environ["wsgi.input"] = io.BytesIO(begun)
            self.environ["kozyr.arrived"] = time.monotonic()
        else:
            self.environ["wsgi.input"] = BodyReader(begun, length, self._client)
        return True

    def force_close(self) -> None:
        """Close the connection after the response."""
        self.must_close = True

    def start_response(self, status: str, headers: Sequence[tuple[str, str]], exc_info: Any = None) -> None:
        """Take the status and the headers of the response."""
        self._status, self._headers = status, headers

    def send(self) -> Pause | None:
        """Send the application's response in one write, and close the body. If the body raises, send what came before,
        and raise.

        Return a pause instead if the response has one. Call this method again after it.
        """
        if self._steps is None:
            self._body = self._application(self.environ, self.start_response)
            self._steps = iter(self._body)
        pieces: list[bytes] = []
        paused = False
        try:
            for step in self._steps:
                if isinstance(step, Pause):
                    paused = True
                    return step
                pieces.append(step)
            return None
        finally:
            if not paused:
                self._finish(pieces)

    def _finish(self, pieces: list[bytes]) -> None:
        try:
            if pieces:
                response = self._head() + b"".join(pieces)
                self._client.sendall(response)
        finally:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()

    def _head(self) -> bytes:
        lines = [
            f"HTTP/1.1 {self._status}",
            "Server: gunicorn",
            f"Date: {_date(int(time.time()))}",
            "Connection: close" if self.must_close else "Connection: keep-alive",
            *[f"{name}: {value}" for name, value in self._headers],
        ]
        head = "\r\n".join(lines)
        if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
            raise ValueError("a header of the response has a line break")
        return f"{head}\r\n\r\n".encode("latin-1")


@lru_cache(maxsize=2)
def _date(second: int) -> str:
    text: str = util.http_date(second)
    return text
