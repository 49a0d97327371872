"""`Idempotency-Key`: a request that creates something gets one response, and its repetitions get the same one.

The response may contain a token, so it is stored encrypted (AES-GCM). The key derives from the server's pepper and
the client's idempotency key, so Redis alone reveals neither. A digest of the body identifies the request.

A running request holds a lease on its key. Its process renews the lease (`renew`) until `finish` or `forget`. If the
process dies, the lease expires within `LEASE_MS`, and the same request may start again. A process that was only
frozen may then run beside its successor. So what a request creates has an id derived from the key
(`derived_match_id`), or a number that the first attempt stored (`intend`): both attempts create the same thing.

Idempotency keys in Redis: `kozyr:idempotency:NAME`, one hash each, which expires after a day.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any, Final

import orjson

from league.errors import KeyInFlight, KeyReused
from redisio.connection import Redis
from redisio.scripts import Script
from referee.sealing import SealingKey

KEPT_MS: Final = 24 * 3_600_000
LEASE_MS: Final = 2_000
RENEW_S: Final = 0.5
"""How often a process renews the leases of its requests."""

BEGIN: Final = Script("league.accounts", "redisio:time.lua", "idempotency_begin.lua")
RENEW: Final = Script("league.accounts", "redisio:time.lua", "idempotency_renew.lua")
FORGET: Final = Script("league.accounts", "idempotency_forget.lua")
FINISH: Final = Script("league.accounts", "idempotency_finish.lua")


class Idempotency:
    """The idempotency keys of a process's requests."""

    def __init__(self, redis: Redis, pepper: str) -> None:
        self._redis = redis
        self._held: dict[str, str] = {}
        self._again: set[str] = set()
        """The names of running requests that an earlier attempt may have carried out."""
        self._pepper = hashlib.sha256(b"kozyr-idempotency\0" + pepper.encode()).digest()

    def begin(self, scope_key: str, key: str, body_digest: str) -> dict[str, Any] | None:
        """Return the stored response, or `None` if the caller must process the request and call `finish`, or `forget`
        if nothing was created. `scope_key` identifies the client (token id, method, path).

        Raise `KeyReused` for another body, and `KeyInFlight` while the first request is running.
        """
        name = self._derived(b"name", scope_key, key).hex()
        holder = secrets.token_hex(8)
        call = BEGIN.call((_key(name),), body_digest, holder, LEASE_MS, KEPT_MS, "")
        what, rest = self._redis.one(*call)
        if what == b"reused":
            raise KeyReused("this Idempotency-Key was used for another request; use a new one")
        if what == b"in_flight":
            raise KeyInFlight(
                "the first request with this Idempotency-Key is still running", retry_ms=int(rest)
            )
        if what in (b"new", b"again"):
            self._held[name] = holder
            if what == b"again":
                self._again.add(name)
            return None
        answer: dict[str, Any] = orjson.loads(self._sealing_key(scope_key, key).open(rest))
        return answer

    def confirm(self, scope_key: str, key: str) -> None:
        """Return once replicas have what an earlier attempt of this request created, if there was one and writes wait
        for replicas. Call this before the response is sent."""
        if self._derived(b"name", scope_key, key).hex() in self._again:
            self._redis.confirm()

    def finish(self, scope_key: str, key: str, answer: dict[str, Any]) -> None:
        """Store the response (JSON-ready) for 24 hours."""
        sealed = self._sealing_key(scope_key, key).seal(orjson.dumps(answer))
        name = self._derived(b"name", scope_key, key).hex()
        self._release(name)
        self._redis.one(*FINISH.call((_key(name),), sealed, KEPT_MS))

    def forget(self, scope_key: str, key: str) -> None:
        """Free the key of a request that was refused without effect."""
        name = self._derived(b"name", scope_key, key).hex()
        self._redis.one(*FORGET.call((_key(name),), self._release(name)))

    def intend(self, scope_key: str, key: str, what: str) -> str:
        """Store what this request will create. Return it, or what an earlier attempt without a response stored."""
        name = self._derived(b"name", scope_key, key).hex()
        _, kept = self._redis.all([("HSETNX", _key(name), "intent", what), ("HGET", _key(name), "intent")])
        return str(kept.decode())

    def abandon(self, scope_key: str, key: str) -> None:
        """Stop renewing the lease of a request that failed with an unknown outcome. The lease expires."""
        self._release(self._derived(b"name", scope_key, key).hex())

    def renew(self) -> None:
        """Renew the leases of all running requests. Called every `RENEW_S`."""
        if self._held:
            held = list(self._held.items())
            self._redis.run([RENEW.call((_key(name),), holder, LEASE_MS, "") for name, holder in held])

    def _release(self, name: str) -> str:
        """Note that a request no longer runs. Return the holder of its lease."""
        self._again.discard(name)
        return self._held.pop(name, "")

    def _sealing_key(self, scope_key: str, key: str) -> SealingKey:
        return SealingKey(self._derived(b"seal", scope_key, key))

    def _derived(self, use: bytes, scope_key: str, key: str) -> bytes:
        text = use + b"\0" + scope_key.encode() + b"\0" + key.encode()
        return hmac.new(self._pepper, text, hashlib.sha256).digest()


def _key(name: str) -> str:
    return f"kozyr:idempotency:{name}"
