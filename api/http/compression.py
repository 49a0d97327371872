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
from typing import Final

from flask import Request, Response

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


def compress(request: Request, response: Response) -> None:
    """Compress the body if this client accepts it, it is worth it, and its length reveals nothing."""
    if not _may_be_compressed(request, response):
        return
    response.vary.add("Accept-Encoding")
    streamed = response.is_streamed
    if response.status_code != 200 or request.accept_encodings["gzip"] <= 0:
        return
    if streamed:
        response.response = _compressed(response.response)  # type: ignore[arg-type]  # streams of ours are bytes
    else:
        body = response.get_data()
        if len(body) < LEAST_BYTES:
            return
        response.set_data(gzip.compress(body, _LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    etag, weak = response.get_etag()
    if etag is not None and not weak:
        # These are other bytes. `If-None-Match` compares weakly, so either tag gets a 304.
        response.set_etag(etag, weak=True)


def _may_be_compressed(request: Request, response: Response) -> bool:
    if request.method not in ("GET", "HEAD") or response.status_code not in (200, 304):
        return False
    if "Content-Encoding" in response.headers or (
        response.status_code == 200 and response.mimetype not in _KINDS
    ):
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
