"""Proofs that the service issued a record: its position in the chain of all records (`records.chain`), and a signature.

The store keeps the chain, but no signatures. Ed25519 is deterministic, so a record is signed whenever it is read, with
the service's current key.

cryptography is imported with the first signature: it is large, and moves and polls need none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from records.chain import Link, digest, signed_text
from referee.proofs.redis import RedisChain

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


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
        return self._key.sign(signed_text(link.number, link.link)).hex()

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._seed)


class Proofs:
    """Proves records when they are read."""

    def __init__(self, chain: RedisChain, key: SigningKey) -> None:
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


def pem(key: str) -> str:
    """Return a hexadecimal public key as PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return public.public_bytes(*form).decode()
