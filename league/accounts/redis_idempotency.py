"""Idempotency keys in Redis: `kozyr:idempotency:NAME`, one hash each, which expires after a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from redisio.connection import Redis
from redisio.scripts import Script

BEGIN: Final = Script("league.accounts", "redisio:time.lua", "idempotency_begin.lua")
RENEW: Final = Script("league.accounts", "redisio:time.lua", "idempotency_renew.lua")
INTEND: Final = Script("league.accounts", "idempotency_intend.lua")
FORGET: Final = Script("league.accounts", "idempotency_forget.lua")
FINISH: Final = Script("league.accounts", "idempotency_finish.lua")


class IdempotentStart(NamedTuple):
    """The state of a key: `new`, `again` (claimed after an attempt without a response), `reused`, `in_flight` or
    `answered`."""

    what: str
    retry_ms: int = 0
    sealed: bytes = b""


class RedisIdempotencyStore:
    """The store of idempotency keys."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def begin(self, name: str, body: str, holder: str, lease_ms: int, kept_ms: int) -> IdempotentStart:
        """Claim a key for this body, unless it has a response or a live lease."""
        what, rest = self._redis.one(*BEGIN.call((_key(name),), body, holder, lease_ms, kept_ms, ""))
        if what == b"in_flight":
            return IdempotentStart("in_flight", retry_ms=int(rest))
        return IdempotentStart(what.decode(), sealed=rest)

    def renew(self, held: Mapping[str, str], lease_ms: int) -> None:
        """Renew the leases on these names for their holders; leases of other holders do not change."""
        self._redis.run([RENEW.call((_key(name),), holder, lease_ms, "") for name, holder in held.items()])

    def confirm(self) -> None:
        """Return once replicas have all that was written so far, if writes wait for replicas."""
        self._redis.confirm()

    def intend(self, name: str, what: str) -> str:
        """Store the intent of a request. Return the intent stored first."""
        kept: bytes = self._redis.one(*INTEND.call((_key(name),), what))
        return kept.decode()

    def finish(self, name: str, sealed: bytes, kept_ms: int) -> None:
        """Store the encrypted response."""
        self._redis.one(*FINISH.call((_key(name),), sealed, kept_ms))

    def forget(self, name: str, holder: str) -> None:
        """Free a key, unless it has a response or another holder."""
        self._redis.one(*FORGET.call((_key(name),), holder))


def _key(name: str) -> str:
    return f"kozyr:idempotency:{name}"
