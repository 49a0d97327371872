"""The format of a sorted table: entries by key in zstd blocks, with a directory and a filter.

    block …    zstd of about `BLOCK_BYTES` of entries; an entry is the lengths of key and value (uint16 and int32, big
               endian; -1 for a removed key), the key, the value
    directory  zstd of JSON: `blocks`, [first key, offset, length] of each; `entries`, how many
    filter     zstd of a Bloom filter (Bloom 1970) of the keys that begin with `POINT`; those are looked up one by one
    end        offset and length of the directory and length of the filter (uint64, uint32, uint32), `MAGIC`

Keys are ASCII text. Each zstd frame has a checksum, so a changed byte is found when it is read.
"""

from __future__ import annotations

import hashlib
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import orjson
import zstandard

from referee.bounded import unzstd

Entry = tuple[bytes, bytes | None]
"""A key and its value; `None` removes the key from older tables."""

POINT: Final = b"="
"""Begins the keys that are looked up one by one."""
_AFTER_POINTS: Final = b">"
BLOCK_BYTES: Final = 16_384
TABLE_BYTES: Final = 8 << 20
"""The compressed size, in bytes, at which a part of a run ends. A merge writes one in about a second."""
MAGIC: Final = b"KOZYRTAB"
_LEVEL: Final = 3
_ENTRY: Final = struct.Struct(">Hi")
_PAIR: Final = struct.Struct(">QQ")
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

    digest: str
    """Of the data, hexadecimal. The name of the table begins with it."""
    data: bytes
    first: bytes
    """Its first key."""
    last: bytes
    """Its last key."""
    entries: int


class TableFooter(NamedTuple):
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

    def may_have(self, hashes: tuple[int, int]) -> bool:
        """Return whether the table may have the point key of these `hashes_of`. About 1 % of the other keys pass
        too."""
        sieve = self.filter
        bits, (one, other) = len(sieve) * 8, hashes
        if not bits:
            return False
        for index in range(_HASHES):
            bit = (one + index * other) % bits
            if not sieve[bit >> 3] & (1 << (bit & 7)):
                return False
        return True


def build(entries: Iterable[Entry]) -> Iterator[BuiltTable]:
    """Yield the tables of these entries, which are sorted by key without repetition. Equal entries give equal bytes."""
    press = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    body, blocks, keys = bytearray(), list[tuple[str, int, int]](), list[bytes]()
    block, size, pack = list[bytes](), 0, _ENTRY.pack

    def close_block() -> None:
        packed = press.compress(b"".join(block))
        blocks.append((block[1].decode(), len(body), len(packed)))
        body.extend(packed)
        block.clear()

    for key, value in entries:
        if value is None:
            block += (pack(len(key), _REMOVED), key)
            size += len(key)
        else:
            block += (pack(len(key), len(value)), key, value)
            size += len(key) + len(value)
        keys.append(key)
        if size >= BLOCK_BYTES:
            close_block()
            size = 0
            if len(body) >= TABLE_BYTES:
                yield _built(press, body, blocks, keys)
                body, blocks, keys = bytearray(), [], []
    if block:
        close_block()
    if blocks:
        yield _built(press, body, blocks, keys)


def _built(
    press: zstandard.ZstdCompressor,
    body: bytearray,
    blocks: list[tuple[str, int, int]],
    keys: list[bytes],
) -> BuiltTable:
    directory = press.compress(orjson.dumps({"blocks": blocks, "entries": len(keys)}))
    sieve = press.compress(_filter(keys[bisect_left(keys, POINT) : bisect_left(keys, _AFTER_POINTS)]))
    end = _END.pack(len(body), len(directory), len(sieve), MAGIC)
    data = bytes(body) + directory + sieve + end
    return BuiltTable(digest_of(data), data, keys[0], keys[-1], len(keys))


def digest_of(data: bytes) -> str:
    """Return the digest of the bytes of a table."""
    return hashlib.sha256(data).hexdigest()[:32]


def parse_end(data: bytes) -> TableFooter:
    """Return where directory and filter are, from the last `END_BYTES` of a table. Raise `DamagedTable`."""
    if len(data) < END_BYTES or data[-len(MAGIC) :] != MAGIC:
        raise DamagedTable("the table has no ending")
    directory, length, sieve, _ = _END.unpack(data[-END_BYTES:])
    return TableFooter(directory, length, sieve)


def parse_directory(data: bytes, ending: TableFooter) -> Directory:
    """Return the directory of the bytes from its offset on. Raise `DamagedTable`."""
    try:
        blocks = orjson.loads(decompressed(data[: ending.directory_length]))["blocks"]
        sieve = decompressed(data[ending.directory_length :][: ending.filter_length])
        return Directory(
            [first.encode() for first, _, _ in blocks], [(at, size) for _, at, size in blocks], sieve
        )
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedTable(f"a damaged directory: {error}") from error


def parse_block(block: bytes) -> list[Entry]:
    """Return the entries of a block. Raise `DamagedTable`."""
    entries: list[Entry] = []
    at, end, unpack, skip = 0, len(block), _ENTRY.unpack_from, _ENTRY.size
    try:
        while at < end:
            key_length, length = unpack(block, at)
            start = at + skip
            at = start + key_length
            if length == _REMOVED:
                entries.append((block[start:at], None))
            else:
                entries.append((block[start:at], block[at : at + length]))
                at += length
    except struct.error as error:
        raise DamagedTable(f"a damaged block: {error}") from error
    return entries


def decompressed(packed: bytes) -> bytes:
    """Return a block as `parse_block` takes it. Raise `DamagedTable`."""
    try:
        return unzstd(packed, _MOST_BLOCK)
    except zstandard.ZstdError as error:
        raise DamagedTable(f"a block can't be decompressed: {error}") from error


def hashes_of(key: bytes) -> tuple[int, int]:
    """Return two hashes of a key, from which the filters derive the others (Kirsch and Mitzenmacher 2006)."""
    one, other = _PAIR.unpack(hashlib.blake2b(key, digest_size=_PAIR.size).digest())
    return one, other | 1


def _filter(points: list[bytes]) -> bytes:
    bits = (len(points) * _BITS + 7) // 8 * 8
    sieve = bytearray(bits // 8)
    for key in points:
        one, other = hashes_of(key)
        for index in range(_HASHES):
            bit = (one + index * other) % bits
            sieve[bit >> 3] |= 1 << (bit & 7)
    return bytes(sieve)
