"""The stored form of a finished match: a byte that names the format, and a compressed text.

    format 1  CRC-32 of the rest (4 bytes, big endian), and a zstd frame (RFC 8878)

The text is a line of JSON (match config, match progress and secret) and then the log. A process counts and logs the
matches whose stored form it can't read (`Unreadable`); lists skip them.
"""

from __future__ import annotations

import logging
import threading
import zlib
from functools import cache
from typing import Final

import orjson
import zstandard
from zstandard import ZstdError

from records.match.session import MatchConfig, MatchProgress

MOST_MATCH: Final = 1 << 26
"""The most bytes that the text of one match may have when it is decompressed."""


ZSTD: Final = b"\x01"
LEVEL: Final = 3
"""Level 1 saves a fifth of the time and takes 7 % more space."""


def unzstd(frame: bytes, most: int, decompressor: zstandard.ZstdDecompressor | None = None) -> bytes:
    """Return the content of a zstd frame. Raise `ZstdError`, also if it has more than `most` bytes.

    zstandard itself ignores `max_output_size` if the frame states its size.
    """
    if (stated := zstandard.frame_content_size(frame)) > most:
        raise zstandard.ZstdError(f"the content has {stated} bytes, more than {most}")
    return (decompressor or zstandard.ZstdDecompressor()).decompress(frame, max_output_size=most)


def inflated(packed: bytes, most: int) -> bytes:
    """Return the content of a zlib stream. Raise `zlib.error`, also if it has more than `most` bytes or no end."""
    stream = zlib.decompressobj()
    text = stream.decompress(packed, most)
    if not stream.eof:
        raise zlib.error(f"the content has no end, or more than {most} bytes")
    return text


class _Zstd(threading.local):
    """Compressor and decompressor of a thread: zstandard's objects can't be shared."""

    def __init__(self) -> None:
        self.compress: Final = zstandard.ZstdCompressor(LEVEL).compress
        self.decompressor: Final = zstandard.ZstdDecompressor()


@cache
def _zstd() -> _Zstd:
    return _Zstd()


def pack(config: MatchConfig, progress: MatchProgress, secret: bytes, log: str) -> bytes:
    head = {"config": config.to_json(), "progress": progress.to_json(), "secret": secret.hex()}
    return compressed(orjson.dumps(head) + b"\n" + log.encode())


def unpack(packed: bytes) -> tuple[MatchConfig, MatchProgress, bytes, str]:
    """Return what `pack` was given. Raises `ValueError` for an unknown format, and others of `DAMAGE` for a damaged
    match."""
    head, _, log = decompressed(packed).partition(b"\n")
    data = orjson.loads(head)
    return (
        MatchConfig.from_json(data["config"]),
        MatchProgress.from_json(data["progress"]),
        bytes.fromhex(data["secret"]),
        log.decode(),
    )


def compressed(text: bytes) -> bytes:
    frame = _zstd().compress(text)
    return ZSTD + _checksum(frame) + frame


def decompressed(packed: bytes) -> bytes:
    """Return the text of a stored match. Raises what `unpack` raises."""
    if packed[:1] != ZSTD:
        raise ValueError("a finished match in a format that this release doesn't know")
    frame = packed[5:]
    if packed[1:5] != _checksum(frame):  # else a wrong size in its head could take all memory
        raise ValueError("a finished match whose checksum is wrong")
    return unzstd(frame, MOST_MATCH, _zstd().decompressor)


def _checksum(frame: bytes) -> bytes:
    return zlib.crc32(frame).to_bytes(4, "big")


log = logging.getLogger(__name__)

DAMAGE: Final = (ValueError, TypeError, LookupError, AttributeError, zlib.error, ZstdError)
"""What decoding raises for a damaged match or an unknown format."""
MOST_KNOWN: Final = 10_000
"""How many ids a process remembers, so that it logs each match once."""


class Unreadable:
    """The unreadable matches that this process has met. Safe to share between greenlets and threads."""

    def __init__(self) -> None:
        self._known: dict[str, None] = {}
        self.count = 0
        """The number of different unreadable matches up to `MOST_KNOWN`; beyond that, of encounters."""

    def note(self, match: str, error: Exception) -> None:
        """Count and log a match at the first encounter."""
        if match in self._known:
            return
        if len(self._known) < MOST_KNOWN:
            self._known[match] = None
        self.count += 1
        # Lists skip one in Redis, and show one of the archive: the index has their rows.
        log.error("match %s can't be read: %s: %s", match, type(error).__name__, error)

    def __contains__(self, match: str) -> bool:
        return match in self._known
