"""Compressed responses (`Content-Encoding: gzip`) for clients that accept them.

The length of a compressed body depends on what it repeats. Where a body has a secret beside text that somebody else
chose, lengths reveal the secret piece by piece (the BREACH attack). So only what everybody may read is compressed: the
response to a request without credentials, and a response that is marked as public (`Cache-Control: public`). The
responses that bots ask for all the time are small and never compressed, and neither are streams of events.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from flask import Request, Response
from werkzeug.http import generate_etag

LEAST_BYTES: Final = 2048
"""Smaller bodies fit into two packets anyway."""
_LEVEL: Final = 5
_KINDS: Final = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "application/yaml",
        "image/svg+xml",
        "text/css",
        "text/csv",
        "text/html",
        "text/javascript",
        "text/plain",
    }
)
_GZIP_FORMAT: Final = 16 + zlib.MAX_WBITS


class KeptBody:
    """A body that is sent many times, with its compressed form."""

    def __init__(self, data: bytes, mimetype: str) -> None:
        self.data, self.mimetype = data, mimetype

    @cached_property
    def etag(self) -> str:
        """The validator of the body."""
        return generate_etag(self.data)

    @cached_property
    def compressed(self) -> bytes:
        """The body compressed by gzip."""
        return gzip.compress(self.data, _LEVEL, mtime=0)


class KeptResponse(Response):
    """A response with a body that is kept."""

    def __init__(self, kept: KeptBody) -> None:
        super().__init__(kept.data, mimetype=kept.mimetype)
        self.kept = kept


def compress(request: Request, response: Response) -> None:
    """Compress the body if this client accepts it, it is worth it, and its length reveals nothing."""
    if not _may_be_compressed(request, response):
        return
    response.vary.add("Accept-Encoding")
    quality = request.accept_encodings["gzip"]
    if response.status_code != 200 or not quality or quality < request.accept_encodings["identity"]:
        return
    if response.is_streamed:
        response.response = _compressed(response.response)  # type: ignore[arg-type]  # streams of ours are bytes
        response.headers.pop("Content-Length", None)  # of a file that is sent as it is read
    else:
        kept = response.kept if isinstance(response, KeptResponse) else KeptBody(response.get_data(), "")
        if len(kept.data) < LEAST_BYTES:
            return
        response.set_data(kept.compressed)
    response.headers["Content-Encoding"] = "gzip"
    etag, weak = response.get_etag()
    if etag is not None and not weak:
        # These are other bytes. `If-None-Match` compares weakly, so either tag gets a 304.
        response.set_etag(etag, weak=True)


def _may_be_compressed(request: Request, response: Response) -> bool:
    if request.method not in ("GET", "HEAD") or response.status_code not in (200, 304):
        return False
    if "Content-Encoding" in response.headers or response.cache_control.no_transform:
        return False
    if response.status_code == 200 and response.mimetype not in _KINDS:
        return False
    environ = request.environ
    if "HTTP_AUTHORIZATION" not in environ and "HTTP_COOKIE" not in environ:
        return True
    return bool(response.cache_control.public)


def _compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the compressed pieces of a stream as they come."""
    press = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_FORMAT)
    try:
        for piece in pieces:
            if ready := press.compress(piece):
                yield ready
        yield press.flush()
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            close()
