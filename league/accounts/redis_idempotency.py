"""Idempotency keys in Redis: `kozyr:idempotency:NAME`, one hash each, which expires after a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from league.accounts.store import IdempotentStart
from redisio.connection import Redis
from redisio.scripts import Script

BEGIN: Final = Script("league.accounts", "redisio:time.lua", "idempotency_begin.lua")
RENEW: Final = Script("league.accounts", "redisio:time.lua", "idempotency_renew.lua")
INTEND: Final = Script("league.accounts", "idempotency_intend.lua")
FORGET: Final = Script("league.accounts", "idempotency_forget.lua")
FINISH: Final = Script("league.accounts", "idempotency_finish.lua")


class RedisIdempotencyStore:
    """`IdempotencyStore` in Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def begin(self, name: str, body: str, holder: str, lease_ms: int, kept_ms: int) -> IdempotentStart:
        what, rest = self._redis.one(*BEGIN.call((_key(name),), body, holder, lease_ms, kept_ms, ""))
        if what == b"in_flight":
            return IdempotentStart("in_flight", retry_ms=int(rest))
        return IdempotentStart(what.decode(), sealed=rest)

    def renew(self, held: Mapping[str, str], lease_ms: int) -> None:
        self._redis.run([RENEW.call((_key(name),), holder, lease_ms, "") for name, holder in held.items()])

    def confirm(self) -> None:
        self._redis.confirm()

    def intend(self, name: str, what: str) -> str:
        kept: bytes = self._redis.one(*INTEND.call((_key(name),), what))
        return kept.decode()

    def finish(self, name: str, sealed: bytes, kept_ms: int) -> None:
        self._redis.one(*FINISH.call((_key(name),), sealed, kept_ms))

    def forget(self, name: str, holder: str) -> None:
        self._redis.one(*FORGET.call((_key(name),), holder))


def _key(name: str) -> str:
    return f"kozyr:idempotency:{name}"
