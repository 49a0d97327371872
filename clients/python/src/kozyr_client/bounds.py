"""Bounds of a response: how long it may be, and how long its headers and its body may take.

Nothing that the service sends comes near them.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from time import monotonic
from typing import Any, Final

import httpx

from kozyr_client.errors import KozyrError

LONGEST_BYTES: Final = 64 * 2**20
"""The longest body, or line of a stream, decoded."""
LONGEST_S: Final = 120.0
"""The longest time from the first byte of a body, or of a line of a stream, to the last, in seconds."""
LONGEST_STREAM_S: Final = 7200.0
"""The longest time that a stream lasts, in seconds. The service ends one after an hour."""
HEADERS: Final = {"Accept-Encoding": "gzip"}
"""What a request has to ask for. A body that is encoded in another way is refused."""
_LINES: Final = ("application/x-ndjson", "text/event-stream")
_PIECE: Final = 65_536
_until: ContextVar[float | None] = ContextVar("until", default=None)
"""When the part of the response that is read now must be complete. httpx bounds each read, but not all together."""


class _Body:
    """Decodes a body piece by piece and keeps the bounds."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._in_lines = response.headers.get("Content-Type", "").partition(";")[0] in _LINES
        self._size, self._began = 0, monotonic()
        self._ends = self._began + (LONGEST_STREAM_S if self._in_lines else LONGEST_S)
        encoding = response.headers.pop("Content-Encoding", "identity")
        if encoding not in ("gzip", "identity"):
            raise self._refused(f"is encoded as {encoding}")
        self._gzip = zlib.decompressobj(31) if encoding == "gzip" else None

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield a part of the body, decoded. Raise `KozyrError` beyond a bound."""
        if self._gzip is None:
            yield self._counted(chunk)
            return
        while True:
            try:
                piece = self._gzip.decompress(chunk, _PIECE)
            except zlib.error as error:
                raise httpx.DecodingError(str(error), request=self._response.request) from error
            yield self._counted(piece)
            chunk = self._gzip.unconsumed_tail
            if not chunk and len(piece) < _PIECE:
                return

    def _counted(self, piece: bytes) -> bytes:
        now = monotonic()
        last = piece.rfind(b"\n") if self._in_lines else -1
        if last >= 0 or (self._in_lines and not self._size):
            self._size, self._began = -1 - last if last >= 0 else 0, now
        self._size += len(piece)
        if self._size > LONGEST_BYTES:
            raise self._refused(f"is longer than {LONGEST_BYTES // 2**20} MiB")
        if now > min(self._ends, self._began + LONGEST_S):
            raise self._refused("takes too long")
        return piece

    def _refused(self, why: str) -> KozyrError:
        what = "a line of the response" if self._in_lines else "the response"
        return KozyrError("response_refused", self._response.status_code, {"detail": f"{what} {why}"})


class _BoundedStream(httpx.SyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        assert isinstance(response.stream, httpx.SyncByteStream)
        self._stream, self._body = response.stream, _Body(response)

    def __iter__(self) -> Iterator[bytes]:
        chunks = iter(self._stream)
        while True:
            _until.set(monotonic() + LONGEST_S)
            try:
                chunk = next(chunks, None)
            finally:
                _until.set(None)
            if chunk is None:
                return
            yield from self._body.pieces(chunk)

    def close(self) -> None:
        self._stream.close()


class _BoundedAsyncStream(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        self._stream, self._body = response.stream, _Body(response)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._stream)
        while True:
            _until.set(monotonic() + LONGEST_S)
            try:
                chunk = await anext(chunks, None)
            finally:
                _until.set(None)
            if chunk is None:
                return
            for piece in self._body.pieces(chunk):
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def _timeout(timeout: float | None) -> float | None:
    """Return the timeout of the next read. Raise `httpx.ReadTimeout` if no time is left."""
    until = _until.get()
    if until is None:
        return timeout
    left = until - monotonic()
    if left <= 0:
        raise httpx.ReadTimeout("the response takes too long")
    return left if timeout is None else min(left, timeout)


def _read(read: Callable[..., bytes], max_bytes: int, timeout: float | None = None) -> bytes:
    return read(max_bytes, timeout=_timeout(timeout))


async def _read_async(
    read: Callable[..., Awaitable[bytes]], max_bytes: int, timeout: float | None = None
) -> bytes:
    return await read(max_bytes, timeout=_timeout(timeout))


def _trace(bounded_read: Callable[..., Any], event: str, info: Mapping[str, Any]) -> None:
    """Bound the reads of a new connection, and let the read timeout hold for the headers as a whole."""
    if event.endswith(("connect_tcp.complete", "start_tls.complete")):
        stream = info["return_value"]
        stream.read = partial(bounded_read, stream.read)
    elif event.startswith("http11.receive_response_headers."):
        timeout = info["request"].extensions["timeout"].get("read") if event.endswith("started") else None
        _until.set(None if timeout is None else monotonic() + timeout)


async def _trace_async(event: str, info: Mapping[str, Any]) -> None:
    _trace(_read_async, event, info)


def _watch(request: httpx.Request) -> None:
    request.extensions["trace"] = partial(_trace, _read)


async def _watch_async(request: httpx.Request) -> None:
    request.extensions["trace"] = _trace_async


def _bound(response: httpx.Response) -> None:
    response.stream = _BoundedStream(response)


async def _bound_async(response: httpx.Response) -> None:
    response.stream = _BoundedAsyncStream(response)


HOOKS: Final[dict[str, list[Callable[..., Any]]]] = {"request": [_watch], "response": [_bound]}
"""The event hooks of an `httpx.Client` that keep the bounds."""
ASYNC_HOOKS: Final[dict[str, list[Callable[..., Any]]]] = {
    "request": [_watch_async],
    "response": [_bound_async],
}
"""The event hooks of an `httpx.AsyncClient` that keep the bounds."""
