"""Proof that a record is the one that the service gave: a digest, a place in one chain of all records, a signature.

    canonical = the record as JSON by RFC 8785: keys sorted, no spaces, UTF-8 (without what stands beside it, `BESIDE`)
    digest    = SHA-256(canonical)
    link(0)   = 32 zero bytes
    link(n)   = SHA-256(link(n - 1) ‖ digest of record n)
    signature = Ed25519(key, "kozyr-chain-1" ‖ 00 ‖ uint64(n) ‖ link(n))

Records take their numbers, from 1, when they may first be read; before that no value of the chain depends on them. Who
has kept one link can tell later whether any record up to it was changed, taken out or put in.

The chain itself lies in the store; signatures do not. Ed25519 signs the same message in the same way each time, so they
are made when a record is read, by the key that the service has then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from referee.match.record import BESIDE
from referee.proofs.store import Chain, Link

DOMAIN: Final = b"kozyr-chain-1\0"
GENESIS: Final = bytes(32)
"""The link before the first."""


class SigningKey:
    """The service's key. It never shows its private half."""

    def __init__(self, seed: bytes) -> None:
        """`seed` are the 32 bytes of an Ed25519 private key (RFC 8032)."""
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: str = self._key.public_key().public_bytes_raw().hex()
        """The public key's 32 bytes in hexadecimal, which are also its name."""

    def sign(self, link: Link) -> str:
        """The signature in hexadecimal."""
        return self._key.sign(_message(link.number, link.link)).hex()


class Proofs:
    """Proofs of records, made when these are read."""

    def __init__(self, chain: Chain, key: SigningKey) -> None:
        self.chain, self.key = chain, key
        self._noted = False

    def proven(self, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """These records, each with its `proof` beside it. All of them may be read; those that are not in the chain yet
        are taken into it."""
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
        """See `Chain.signed_by`."""
        found = self.chain.signed_by(self.key.public)
        self._noted = True
        return found

    def _proof(self, link: Link | None) -> dict[str, Any]:
        assert link is not None, "what was appended is in the chain"
        return {
            "number": link.number,
            "previous": link.previous.hex(),
            "link": link.link.hex(),
            "key": self.key.public,
            "signature": self.key.sign(link),
        }


def canonical(record: Mapping[str, Any]) -> bytes:
    """The bytes of a record of which the digest is taken. Records have no fractions, and all names of fields are ASCII;
    for such documents sorted keys and shortest JSON are what RFC 8785 asks."""
    return orjson.dumps(
        {name: value for name, value in record.items() if name not in BESIDE}, option=orjson.OPT_SORT_KEYS
    )


def digest(record: Mapping[str, Any]) -> bytes:
    """The digest of a record."""
    return hashlib.sha256(canonical(record)).digest()


def chained(previous: bytes, one: bytes) -> bytes:
    """The link after `previous` of a record with this digest."""
    return hashlib.sha256(previous + one).digest()


def is_signed(number: int, link: bytes, signature: bytes, key: bytes) -> bool:
    """Whether this public key signed this place."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, _message(number, link))
    except (InvalidSignature, ValueError):
        return False
    return True


def pem(key: str) -> str:
    """A public key, given in hexadecimal, as PEM."""
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return public.public_bytes(*form).decode()


def _message(number: int, link: bytes) -> bytes:
    return DOMAIN + number.to_bytes(8, "big") + link
