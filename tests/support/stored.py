"""All that Redis has, as text."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from redisio.connection import Redis
from referee.storage.packing import DAMAGE, decompressed

_READS: Final[dict[bytes, tuple[Any, ...]]] = {
    b"hash": ("HGETALL",),
    b"list": ("LRANGE", 0, -1),
    b"set": ("SMEMBERS",),
    b"stream": ("XRANGE", "-", "+"),
    b"string": ("GET",),
    b"zset": ("ZRANGE", 0, -1),
}


def keys_that_contain(redis: Redis, *words: str) -> list[str]:
    """Return the keys of Redis that contain one of these words, in the key or in a value, also in a compressed one."""
    found = []
    for key in redis.one("KEYS", "*"):
        command, *more = _READS[redis.one("TYPE", key)]
        texts = [key, *_texts(redis.one(command, key, *more))]
        if any(word.encode() in text.lower() for word in words for text in texts):
            found.append(key.decode())
    return sorted(found)


def _texts(value: Any) -> Iterator[bytes]:
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, bytes):
        yield value
        for unpack in (decompressed, zlib.decompress):
            with suppress(*DAMAGE):
                yield unpack(value)
