"""Proofs that the service issued a record: a digest, a position in one chain of all records, a signature.

    canonical = the record without the fields in `BESIDE`, as JSON by RFC 8785: keys sorted, no spaces, UTF-8
    digest    = SHA-256(canonical)
    link(0)   = 32 zero bytes
    link(n)   = SHA-256(link(n - 1) ‖ digest of record n)
    signature = Ed25519(key, "kozyr-chain-1" ‖ 00 ‖ uint64(n) ‖ link(n))

A record gets its number, counted from 1, when it first becomes readable. Before that the chain doesn't depend on it.
A client that keeps one link can detect later whether any record up to it was changed, removed or inserted.

cryptography is imported with the first signature: it is large, and moves and polls need none.

The store keeps the chain, but no signatures. Ed25519 is deterministic, so a record is signed whenever it is read, with
the service's current key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import orjson

from records.match.record import BESIDE
from referee.proofs.store import Chain, Link

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DOMAIN: Final = b"kozyr-chain-1\0"
GENESIS: Final = bytes(32)
"""The link before the first."""


class SigningKey:
    """The service's signing key. It never exposes its private half."""

    def __init__(self, seed: bytes) -> None:
        """`seed` is the 32 bytes of an Ed25519 private key (RFC 8032)."""
        if len(seed) != 32:
            raise ValueError("the seed of an Ed25519 key is 32 bytes long")
        self._seed = seed

    @cached_property
    def public(self) -> str:
        """The public key, 32 bytes in hexadecimal. It also names the key."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, link: Link) -> str:
        """Return the signature of a link in hexadecimal."""
        return self._key.sign(_message(link.number, link.link)).hex()

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._seed)


class Proofs:
    """Proves records when they are read."""

    def __init__(self, chain: Chain, key: SigningKey) -> None:
        self.chain, self.key = chain, key
        self._noted = False

    def proven(self, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return these records, each with its `proof`, and append those that the chain lacks.

        All of them must be readable.
        """
        if not self._noted:
            self.public_keys()
        ids = [record["id"] for record in records]
        links = self.chain.links(ids)
        missing = {
            record["id"]: digest(record) for record, link in zip(records, links, strict=True) if link is None
        }
        if missing:
            self.chain.append(missing)
            links = self.chain.links(ids)
        return [{**record, "proof": self._proof(link)} for record, link in zip(records, links, strict=True)]

    def public_keys(self) -> list[tuple[str, int]]:
        """Return all keys that ever signed, the oldest first, each with the number of records when it began."""
        keys = self.chain.signed_by(self.key.public)
        self._noted = True
        return keys

    def _proof(self, link: Link | None) -> dict[str, Any]:
        assert link is not None, "the chain contains what was appended"
        return {
            "number": link.number,
            "previous": link.previous.hex(),
            "link": link.link.hex(),
            "key": self.key.public,
            "signature": self.key.sign(link),
        }


def canonical(record: Mapping[str, Any]) -> bytes:
    """Return the bytes of a record that its digest covers.

    Records have no fractions and only ASCII field names. For such documents RFC 8785 asks for sorted keys and the
    shortest JSON.
    """
    return orjson.dumps(
        {name: value for name, value in record.items() if name not in BESIDE}, option=orjson.OPT_SORT_KEYS
    )


def digest(record: Mapping[str, Any]) -> bytes:
    """Return the SHA-256 digest of a record."""
    return hashlib.sha256(canonical(record)).digest()


def chained(previous: bytes, record_digest: bytes) -> bytes:
    """Return the link that follows `previous` for a record with this digest."""
    return hashlib.sha256(previous + record_digest).digest()


def is_signed(number: int, link: bytes, signature: bytes, key: bytes) -> bool:
    """Return whether this public key signed this link."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, _message(number, link))
    except (InvalidSignature, ValueError):
        return False
    return True


def pem(key: str) -> str:
    """Return a hexadecimal public key as PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return public.public_bytes(*form).decode()


def _message(number: int, link: bytes) -> bytes:
    return DOMAIN + number.to_bytes(8, "big") + link
