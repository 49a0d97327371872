"""The chain of all records, which shows whether one was changed, removed or inserted later.

    canonical = the record without the fields in `BESIDE` and the names of bots (`bot` of a seat), as JSON by RFC 8785:
                keys sorted, no spaces, UTF-8
    digest    = SHA-256(canonical)
    link(0)   = 32 zero bytes
    link(n)   = SHA-256(link(n - 1) ‖ digest of record n)
    signature = Ed25519(key, "kozyr-chain-1" ‖ 00 ‖ uint64(n) ‖ link(n))

A record gets its number, counted from 1, when it first becomes readable. Before that the chain doesn't depend on it.
A client that keeps one link can detect later whether any record up to it was changed, removed or inserted.

The id of a bot is signed and its name is not, so that bots can be renamed and owners forgotten (ADR 46).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from records.ed25519 import is_valid
from records.match.record import BESIDE

_DOMAIN: Final = b"kozyr-chain-1\0"
GENESIS: Final = bytes(32)
"""The link before the first."""


class Link(NamedTuple):
    """A record's position in the chain."""

    number: int
    """From 1."""
    previous: bytes
    link: bytes


def canonical(record: Mapping[str, Any]) -> bytes:
    """Return the bytes of a record that its digest covers.

    Records have no fractions and only ASCII field names. For such documents RFC 8785 asks for sorted keys and the
    shortest JSON.
    """
    signed = {name: value for name, value in record.items() if name not in BESIDE}
    if isinstance(record.get("seats"), list):
        signed["seats"] = [_without_name(seat) for seat in record["seats"]]
    return orjson.dumps(signed, option=orjson.OPT_SORT_KEYS)


def _without_name(seat: object) -> object:
    return (
        {name: value for name, value in seat.items() if name != "bot"} if isinstance(seat, Mapping) else seat
    )


def digest(record: Mapping[str, Any]) -> bytes:
    """Return the SHA-256 digest of a record."""
    return hashlib.sha256(canonical(record)).digest()


def leads_to(previous: bytes, record: Mapping[str, Any], link: bytes) -> bool:
    """Return whether this link follows from the one before and the record."""
    return chained(previous, digest(record)) == link


def chained(previous: bytes, record_digest: bytes) -> bytes:
    """Return the link that follows `previous` for a record with this digest."""
    return hashlib.sha256(previous + record_digest).digest()


def is_signed(number: int, link: bytes, signature: bytes, key: bytes) -> bool:
    """Return whether this public key signed this link."""
    return is_valid(key, signed_text(number, link), signature)


def signed_text(number: int, link: bytes) -> bytes:
    """Return what a signature of this link signs."""
    return _DOMAIN + number.to_bytes(8, "big") + link
