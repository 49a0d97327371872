"""Stored data that would decompress to more than a bound are refused, whatever their heads state."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import pytest
import zstandard

from referee.archive import segment
from referee.archive.segment import BadSegment
from referee.storage import packing
from referee.storage.packing import inflated, unzstd

BOMB = bytes(5000)
MOST = 4000


def zstd(text: bytes, *, stated: bool) -> bytes:
    """Return a frame that states its size or does not."""
    return zstandard.ZstdCompressor(write_content_size=stated).compress(text)


@pytest.mark.parametrize("stated", [True, False])
def test_a_frame_is_decompressed_up_to_the_bound(stated: bool) -> None:
    assert unzstd(zstd(BOMB[:MOST], stated=stated), MOST) == BOMB[:MOST]
    with pytest.raises(zstandard.ZstdError):
        unzstd(zstd(BOMB, stated=stated), MOST)


def test_a_stream_is_inflated_up_to_the_bound() -> None:
    assert inflated(zlib.compress(BOMB[: MOST - 1]), MOST) == BOMB[: MOST - 1]
    with pytest.raises(zlib.error):
        inflated(zlib.compress(BOMB), MOST)


def test_a_stream_without_an_end_is_refused() -> None:
    with pytest.raises(zlib.error):
        inflated(zlib.compress(b"text")[:-1], MOST)


def a_footer(packed: bytes) -> bytes:
    return packed + struct.pack(">I", len(packed)) + segment.MAGIC


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (segment.lines_of, BadSegment),
        (lambda frame: segment.parse_footer(a_footer(frame)), BadSegment),
        (
            lambda frame: packing.decompressed(packing.ZSTD + zlib.crc32(frame).to_bytes(4, "big") + frame),
            zstandard.ZstdError,
        ),
    ],
    ids=["segment", "footer", "match"],
)
def test_all_readers_of_frames_have_a_bound(read: Callable[[bytes], object], error: type[Exception]) -> None:
    bomb = zstd(bytes(segment._MOST_FRAME + 1), stated=True)
    with pytest.raises(error, match="more than"):
        read(bomb)
