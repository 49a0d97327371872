"""Grants: what lets a commit rely on a token that its process remembers.

    kozyr:{17}:grants  string  a random text, another one after each change of tokens, bans and checks

Tokens and matches lie in different slots of a Redis Cluster, so no script can check a token and commit a move. Instead,
every revocation renews the grants of all buckets before it is acknowledged. A process remembers a token together with
grants that it knew before it looked the token up. A commit names these grants, and the script makes it only if they are
still the bucket's. So no move is made with a token after its revocation was acknowledged. Requests without a commit
read the grants of one bucket for this (`league.accounts.remembered`). If the revoking process dies between the two
steps, remembered tokens end with their age.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from records.ids import bucket_of, buckets
from redisio.connection import Redis


def grants_key(bucket: str) -> str:
    return f"kozyr:{{{bucket}}}:grants"


def renew_grants(redis: Redis) -> None:
    """End the reliance of all processes on remembered tokens. Call this after every change of what a token permits."""
    text = os.urandom(8).hex()
    redis.all([("SET", grants_key(bucket), text) for bucket in buckets()])


class Grants:
    """The grants of each bucket, as this process last read them."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[str, tuple[bytes, float]] = {}

    def note(self, match: str, grants: bytes) -> None:
        known = self._known.get(bucket_of(match))
        if known is None or known[0] != grants:
            self._known[bucket_of(match)] = (grants, self._monotonic())

    def for_token(self, match: str, asked_at: float) -> bytes | None:
        """Return the grants of this match's bucket for a token that was looked up at this monotonic instant.

        `None` if they were not known before: the token may have been revoked between the look-up and the change.
        """
        known = self._known.get(bucket_of(match))
        return known[0] if known is not None and known[1] < asked_at else None
