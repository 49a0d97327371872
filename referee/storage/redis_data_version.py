"""The version of the stored data format.

    kozyr:data-version  string  `major.minor`, written at the first start; absent in data older than this key (1.0)

A later minor version adds keys and fields, which older releases ignore (`referee.decoding`). A new major
version changes existing ones, and releases that don't know it refuse to start.
"""

from __future__ import annotations

from typing import Final

from redisio.connection import Redis
from redisio.scripts import Script

MAJOR: Final = 1
MINOR: Final = 0
"""Increase it with every stored field or key that you add."""
KEY: Final = "kozyr:data-version"

CLAIM: Final = Script("referee.storage", "data_version.lua")


class UnknownDataVersion(RuntimeError):
    """The stored data have a format that this release doesn't read. The message says what to do."""


def claim_data(redis: Redis) -> str:
    """Store this release's version unless a later minor one is stored, and return the stored version.

    Raises `UnknownDataVersion` for another major version, and redis-py's errors if Redis is unavailable.
    """
    raw: bytes = redis.one(*CLAIM.call((KEY,), MAJOR, MINOR))
    stored = raw.decode(errors="replace")
    if stored.partition(".")[0] != str(MAJOR):
        raise UnknownDataVersion(
            f"the data in this Redis have format {stored}, and this release reads {MAJOR}.x: run the release that "
            "wrote them or a later one, or use another Redis or KOZYR_VAR"
        )
    return stored
