"""The version of the stored data format.

    kozyr:data-version  string  `major.minor`, written at the first start
    kozyr:buckets       string  the number of buckets of matches, written at the first start (`records.ids`)
    kozyr:secret-check  string  a digest of KOZYR_SECRET, written at the first start with a secret

A later minor version adds keys and fields, which older releases ignore (`records.decoding`). A new major version
changes existing ones, and releases that don't know it refuse to start.
"""

from __future__ import annotations

import hmac
from typing import Final

from records.ids import CLUSTER_BUCKETS, use_buckets
from redisio.connection import Redis
from redisio.scripts import Script

MAJOR: Final = 1
MINOR: Final = 0
"""Increase it with every stored field or key that you add."""
KEY: Final = "kozyr:data-version"
BUCKETS_KEY: Final = "kozyr:buckets"
SECRET_KEY: Final = "kozyr:secret-check"  # noqa: S105 -- the name of a key

CLAIM: Final = Script("referee.storage", "data_version.lua")


class UnknownDataVersion(RuntimeError):
    """The stored data have a format that this release doesn't read. The message says what to do."""


class OtherSecret(UnknownDataVersion):
    """The stored data belong to a service with another secret. The message says what to do."""


def claim_secret(redis: Redis, secret: str) -> None:
    """Note a digest of the secret, once. Raise `OtherSecret` if the stored data have another, and redis-py's errors if
    Redis is unavailable.

    With another secret a process would refuse every token and cursor that the others gave out.
    """
    mine = hmac.new(secret.encode(), b"kozyr-secret-check", "sha256").hexdigest()
    redis.one("SET", SECRET_KEY, mine, "NX")
    stored: bytes = redis.one("GET", SECRET_KEY)
    if not hmac.compare_digest(stored, mine.encode()):
        raise OtherSecret(
            "the data in this Redis belong to a service with another KOZYR_SECRET: use the same secret on every host. "
            f"If the old one is lost, delete the key {SECRET_KEY}; all tokens and cursors then become invalid"
        )


def claim_data(redis: Redis) -> str:
    """Store this release's version unless a later minor one is stored, and return the stored version. Let this
    process use the buckets of the data.

    Raises `UnknownDataVersion` for another major version, and redis-py's errors if Redis is unavailable.
    """
    _claim_buckets(redis)
    raw: bytes = redis.one(*CLAIM.call((KEY,), MAJOR, MINOR))
    stored = raw.decode(errors="replace")
    if stored.partition(".")[0] != str(MAJOR):
        raise UnknownDataVersion(
            f"the data in this Redis have format {stored}, and this release reads {MAJOR}.x: run the release that "
            "wrote them or a later one, or use another Redis or KOZYR_VAR"
        )
    return stored


def _claim_buckets(redis: Redis) -> None:
    """Use the buckets of the stored data, and at least those that this kind of server needs."""
    stored = int(redis.one("GET", BUCKETS_KEY) or 0)
    number = max(stored, CLUSTER_BUCKETS if redis.is_cluster else 1)
    if number != stored:
        redis.one("SET", BUCKETS_KEY, number)
    use_buckets(number)
