"""Compressed responses (`Content-Encoding: zstd` or `gzip`) for clients that accept them.

The length of a compressed body depends on what it repeats. Where a body has a secret beside text that somebody else
chose, lengths reveal the secret piece by piece (the BREACH attack). So only what everybody may read is compressed: the
response to a request without credentials, and a response that is marked as public (`Cache-Control: public`). The
responses that bots ask for all the time are small and never compressed, and neither are streams of events.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple, Protocol

import zstandard
from flask import Request, Response
from werkzeug.datastructures import Accept
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
_ZSTD: Final = zstandard.ZstdCompressionParameters.from_level(3, window_log=18)
"""A window of 256 KiB bounds the memory of a stream, also in the client."""


class _Press(Protocol):
    """Compresses a stream piece by piece."""

    def compress(self, data: bytes, /) -> bytes:
        """Return what can be sent so far."""

    def flush(self) -> bytes:
        """Return the rest."""


class Coding(NamedTuple):
    """A content coding."""

    name: str
    whole: Callable[[bytes], bytes]
    """Compresses a whole body."""
    press: Callable[[], _Press]
    """Begins a stream."""


class KeptBody:
    """A body that is sent many times, with its compressed forms."""

    def __init__(self, data: bytes, mimetype: str) -> None:
        self.data, self.mimetype = data, mimetype
        self._compressed: dict[str, bytes] = {}

    @cached_property
    def etag(self) -> str:
        """The validator of the body."""
        return generate_etag(self.data)

    def compressed(self, coding: Coding) -> bytes:
        """Return the body in this coding."""
        if coding.name not in self._compressed:
            self._compressed[coding.name] = coding.whole(self.data)
        return self._compressed[coding.name]


class KeptResponse(Response):
    """A response with a body that is kept."""

    def __init__(self, kept: KeptBody) -> None:
        super().__init__(kept.data, mimetype=kept.mimetype)
        self.kept = kept


CODINGS: Final = (
    Coding(
        "zstd",
        lambda body: zstandard.ZstdCompressor(compression_params=_ZSTD).compress(body),
        lambda: zstandard.ZstdCompressor(compression_params=_ZSTD).compressobj(),
    ),
    Coding(
        "gzip",
        lambda body: gzip.compress(body, _LEVEL, mtime=0),
        lambda: zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_FORMAT),
    ),
)
"""The codings, the preferred one first. Zstandard takes less time and fewer bytes."""


def compress(request: Request, response: Response) -> None:
    """Compress the body if this client accepts it, it is worth it, and its length reveals nothing."""
    if not _may_be_compressed(request, response):
        return
    response.vary.add("Accept-Encoding")
    streamed = response.is_streamed
    coding = chosen_coding(request.accept_encodings)
    if response.status_code != 200 or coding is None:
        return
    if streamed:
        response.response = _compressed(response.response, coding.press())  # type: ignore[arg-type]  # streams of ours are bytes
        response.headers.pop("Content-Length", None)  # of a file that is sent as it is read
    else:
        kept = response.kept if isinstance(response, KeptResponse) else None
        body = response.get_data() if kept is None else kept.data
        if len(body) < LEAST_BYTES:
            return
        response.set_data(coding.whole(body) if kept is None else kept.compressed(coding))
    response.headers["Content-Encoding"] = coding.name
    etag, weak = response.get_etag()
    if etag is not None and not weak:
        # These are other bytes. `If-None-Match` compares weakly, so either tag gets a 304.
        response.set_etag(etag, weak=True)


def chosen_coding(accepted: Accept) -> Coding | None:
    """Return the coding with the highest q-value, `None` if `identity` has a higher one."""
    best = max(CODINGS, key=lambda coding: accepted[coding.name])
    quality = accepted[best.name]
    return best if quality > 0 and quality >= accepted["identity"] else None


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


def _compressed(pieces: Iterable[bytes], press: _Press) -> Iterator[bytes]:
    """Yield the compressed pieces of a stream as they come."""
    try:
        for piece in pieces:
            if ready := press.compress(piece):
                yield ready
        yield press.flush()
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            close()
