"""Responses as values, and responses that wait. A server that knows their pauses needs no greenlet for each of
thousands that wait.

gunicorn's master imports this module before gevent patches anything, so it must not import Flask.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from referee.polling.waiter import Pause

PAUSES: Final = "kozyr.pauses"
"""The entry of a request's environment with which a server announces that it handles pauses: the response may then
yield some `Pause` before its first bytes, and before it calls `start_response`."""
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class HttpReply(NamedTuple):
    """A response without the headers that every response has (`api.request_end`)."""

    body: bytes
    content_type: str
    status: int = 200
    headers: Mapping[str, str] = _NO_HEADERS
    cut_at: int | None = None
    """The number of bytes after which a conformance check cuts the connection; `None` sends the whole body."""

    def chunks(self) -> Iterable[bytes]:
        """Return the body for a WSGI server.

        The server handles the error of a cut response like that of a client that has disconnected, and closes the
        connection.
        """
        return (self.body,) if self.cut_at is None else self._until_cut(self.cut_at)

    def _until_cut(self, cut_at: int) -> Iterator[bytes]:
        if cut_at:
            yield self.body[:cut_at]
        raise ConnectionResetError(errno.ECONNRESET, "cut by a check")


def waited_out(steps: Iterator[Pause | bytes]) -> Iterator[bytes]:
    """Yield the bytes of a response. Wait at its pauses, in this greenlet or thread."""
    for step in steps:
        if isinstance(step, Pause):
            step.waiter.wait(step.seconds)
        else:
            yield step
