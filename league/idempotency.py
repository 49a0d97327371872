"""`Idempotency-Key`: a request that creates something is answered once, and then with the same answer.

The answer may hold a token's text, so it is kept sealed (AES-GCM) with a key that needs the server's pepper and the
client's own idempotency key: whoever reads Redis reads neither. Which request a key was used for is told
by a digest of its body. A process that dies between `begin` and `finish` leaves the key in flight for
`IN_FLIGHT_MS`; then the same request may begin again, so what it creates should have an id derived from
the key (`derived_match_id`).
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Any, Final, NamedTuple, Protocol

import orjson
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from league.errors import KeyInFlight, KeyReused

KEPT_MS: Final = 24 * 3_600_000
IN_FLIGHT_MS: Final = 30_000


class Begun(NamedTuple):
    """What the store knows of a key: `new`, `reused`, `in_flight` or `answered`."""

    what: str
    retry_ms: int = 0
    sealed: bytes = b""


class IdempotencyStore(Protocol):
    """The port. `league.redis_idempotency` is its Redis form."""

    def begin(self, name: str, body: str, in_flight_ms: int, kept_ms: int) -> Begun:
        """Claim a key for this body, if nobody has."""

    def finish(self, name: str, sealed: bytes, kept_ms: int) -> None:
        """Keep the answer."""

    def forget(self, name: str) -> None:
        """The key is free again."""


class Idempotency:
    """See the module."""

    def __init__(self, store: IdempotencyStore, pepper: str) -> None:
        self._store = store
        self._pepper = hashlib.sha256(b"kozyr-idempotency\0" + pepper.encode()).digest()

    def begin(self, scope_key: str, key: str, body_digest: str) -> dict[str, Any] | None:
        """The answer kept for this key, or `None` if the caller is to answer and call `finish` (or `forget`, if
        nothing was created). `scope_key` says whose key it is (token id, method, path).

        Raises `KeyReused` for another body, and `KeyInFlight` while the first request is being answered.
        """
        name = self._derived(b"name", scope_key, key).hex()
        begun = self._store.begin(name, body_digest, IN_FLIGHT_MS, KEPT_MS)
        if begun.what == "reused":
            raise KeyReused("this Idempotency-Key was used for another request; take a fresh one")
        if begun.what == "in_flight":
            raise KeyInFlight(
                "the first request with this Idempotency-Key is still being answered", retry_ms=begun.retry_ms
            )
        if begun.what == "new":
            return None
        box = AESGCM(self._derived(b"seal", scope_key, key))
        answer: dict[str, Any] = orjson.loads(box.decrypt(begun.sealed[:12], begun.sealed[12:], None))
        return answer

    def finish(self, scope_key: str, key: str, answer: dict[str, Any]) -> None:
        """Keep the answer (JSON-ready) for 24 hours."""
        nonce = os.urandom(12)
        box = AESGCM(self._derived(b"seal", scope_key, key))
        sealed = nonce + box.encrypt(nonce, orjson.dumps(answer), None)
        self._store.finish(self._derived(b"name", scope_key, key).hex(), sealed, KEPT_MS)

    def forget(self, scope_key: str, key: str) -> None:
        """The request was refused and has changed nothing: its key may be used again."""
        self._store.forget(self._derived(b"name", scope_key, key).hex())

    def _derived(self, use: bytes, scope_key: str, key: str) -> bytes:
        text = use + b"\0" + scope_key.encode() + b"\0" + key.encode()
        return hmac.new(self._pepper, text, hashlib.sha256).digest()
