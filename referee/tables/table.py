"""The format of a sorted table: entries by key in zstd blocks, with a directory and a filter.

    block …    zstd of about `BLOCK_BYTES` of entries; an entry is the lengths of key and value (uint16 and int32, big
               endian; -1 for a removed key), the key, the value
    directory  zstd of JSON: `blocks`, [first key, offset, length] of each; `entries`, how many
    filter     a Bloom filter (Bloom 1970) of the keys that begin with `POINT`; those are looked up one by one
    end        offset and length of the directory and length of the filter (uint64, uint32, uint32), `MAGIC`

Keys are ASCII text.
"""

from __future__ import annotations

import hashlib
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import orjson
import zstandard

Entry = tuple[bytes, bytes | None]
"""A key and its value; `None` removes the key from older tables."""

POINT: Final = b"="
"""Begins the keys that are looked up one by one."""
BLOCK_BYTES: Final = 16_384
TABLE_BYTES: Final = 32 << 20
"""The compressed size, in bytes, at which a part of a run ends."""
MAGIC: Final = b"KOZYRTAB"
_LEVEL: Final = 6
_ENTRY: Final = struct.Struct(">Hi")
_END: Final = struct.Struct(">QII8s")
END_BYTES: Final = _END.size
_REMOVED: Final = -1
_BITS: Final = 10
"""Bits of the filter for each key."""
_HASHES: Final = 5
_MOST_BLOCK: Final = 1 << 28


class DamagedTable(ValueError):
    """A table is damaged or has an unknown format."""


class BuiltTable(NamedTuple):
    """A table before it is stored."""

    name: str
    """Derived from the content."""
    data: bytes
    first: bytes
    """Its first key."""
    entries: int


class Ending(NamedTuple):
    """The places of a table's directory and filter."""

    directory: int
    directory_length: int
    filter_length: int


class Directory(NamedTuple):
    """The blocks of a table."""

    firsts: list[bytes]
    """The first key of each block."""
    places: list[tuple[int, int]]
    """Offset and length of each block."""
    filter: bytes

    def block_of(self, key: bytes) -> int:
        """Return the number of the block that has this key if any has it; -1 before the first."""
        return bisect_right(self.firsts, key) - 1

    def may_have(self, key: bytes) -> bool:
        """Return whether the table may have this point key. About 1 % of the other keys pass too."""
        bits = len(self.filter) * 8
        return bits > 0 and all(self.filter[bit >> 3] & (1 << (bit & 7)) for bit in _bits(key, bits))


def build(entries: Iterable[Entry]) -> Iterator[BuiltTable]:
    """Yield the tables of these entries, which are sorted by key without repetition. Equal entries give equal bytes."""
    press = zstandard.ZstdCompressor(level=_LEVEL)
    body, blocks, block, points = bytearray(), list[tuple[str, int, int]](), bytearray(), list[bytes]()
    first, count = b"", 0

    def close_block() -> None:
        packed = press.compress(bytes(block))
        blocks.append((first.decode(), len(body), len(packed)))
        body.extend(packed)
        block.clear()

    for key, value in entries:
        if not block:
            first = key
        block += _ENTRY.pack(len(key), _REMOVED if value is None else len(value)) + key + (value or b"")
        count += 1
        if key.startswith(POINT):
            points.append(key)
        if len(block) >= BLOCK_BYTES:
            close_block()
        if len(body) >= TABLE_BYTES:
            yield _built(press, body, blocks, points, count)
            body, blocks, points, count = bytearray(), [], [], 0
    if block:
        close_block()
    if blocks:
        yield _built(press, body, blocks, points, count)


def _built(
    press: zstandard.ZstdCompressor,
    body: bytearray,
    blocks: list[tuple[str, int, int]],
    points: list[bytes],
    count: int,
) -> BuiltTable:
    directory = press.compress(orjson.dumps({"blocks": blocks, "entries": count}))
    sieve = _filter(points)
    end = _END.pack(len(body), len(directory), len(sieve), MAGIC)
    data = bytes(body) + directory + sieve + end
    return BuiltTable(name_of(data), data, blocks[0][0].encode(), count)


def name_of(data: bytes) -> str:
    """Return the name that follows from the content of a table."""
    return f"index/{hashlib.sha256(data).hexdigest()[:32]}.table"


def parse_end(data: bytes) -> Ending:
    """Return where directory and filter are, from the last `END_BYTES` of a table. Raise `DamagedTable`."""
    if len(data) < END_BYTES or data[-len(MAGIC) :] != MAGIC:
        raise DamagedTable("the table has no ending")
    directory, length, sieve, _ = _END.unpack(data[-END_BYTES:])
    return Ending(directory, length, sieve)


def parse_directory(data: bytes, ending: Ending) -> Directory:
    """Return the directory of the bytes from its offset on. Raise `DamagedTable`."""
    try:
        blocks = orjson.loads(decompressed(data[: ending.directory_length]))["blocks"]
        sieve = data[ending.directory_length :][: ending.filter_length]
        return Directory(
            [first.encode() for first, _, _ in blocks], [(at, size) for _, at, size in blocks], sieve
        )
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedTable(f"a damaged directory: {error}") from error


def parse_block(block: bytes) -> Iterator[Entry]:
    """Yield the entries of a block. Raise `DamagedTable`."""
    at = 0
    try:
        while at < len(block):
            key_length, length = _ENTRY.unpack_from(block, at)
            at += _ENTRY.size
            key = block[at : at + key_length]
            at += key_length
            if length == _REMOVED:
                yield key, None
            else:
                yield key, block[at : at + length]
                at += length
    except struct.error as error:
        raise DamagedTable(f"a damaged block: {error}") from error


def decompressed(packed: bytes) -> bytes:
    """Return a block as `parse_block` takes it. Raise `DamagedTable`."""
    try:
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MOST_BLOCK)
    except zstandard.ZstdError as error:
        raise DamagedTable(f"a block can't be decompressed: {error}") from error


def _filter(points: list[bytes]) -> bytes:
    size = (len(points) * _BITS + 7) // 8
    sieve = bytearray(size)
    for key in points:
        for bit in _bits(key, size * 8):
            sieve[bit >> 3] |= 1 << (bit & 7)
    return bytes(sieve)


def _bits(key: bytes, bits: int) -> list[int]:
    """Return the bits of a key: double hashing (Kirsch and Mitzenmacher 2006)."""
    number = int.from_bytes(hashlib.blake2b(key, digest_size=16).digest(), "big")
    one, other = number >> 64, (number & (1 << 64) - 1) | 1
    return [(one + index * other) % bits for index in range(_HASHES)]
