"""Responses as values. `api.front` sends them as they are; Flask's handlers turn them into Flask's responses."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from flask import Response

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class HttpReply(NamedTuple):
    """A response without the headers that every response has (`api.epilogue`)."""

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

    def to_flask(self) -> Response:
        """Return Flask's response."""
        if self.cut_at is None:
            return Response(self.body, self.status, self.headers, content_type=self.content_type)
        headers = {**self.headers, "Content-Length": str(len(self.body))}
        return Response(self.chunks(), self.status, headers, content_type=self.content_type)

    def _until_cut(self, cut_at: int) -> Iterator[bytes]:
        if cut_at:
            yield self.body[:cut_at]
        raise ConnectionResetError(errno.ECONNRESET, "cut by a check")
