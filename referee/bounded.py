"""Decompression to a bounded size, for data that another program may have written."""

from __future__ import annotations

import zlib
from typing import Final

import zstandard

MOST_MATCH: Final = 1 << 26
"""The most bytes that the text of one match may have when it is decompressed."""


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
