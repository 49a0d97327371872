"""Match ids and their buckets.

An id begins with two digits, its bucket. The rest is 130 random bits, so that nobody can guess or count ids. On a Redis
Cluster there are 64 buckets, each in one slot; elsewhere there is one (`use_buckets`).
"""

from __future__ import annotations

import hashlib
import re
import secrets
from functools import lru_cache
from typing import Final

CLUSTER_BUCKETS: Final = 64
"""The number of buckets on a Redis Cluster."""
_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"
_LETTER_OF: Final = (_ALPHABET * 8).encode()
"""By byte, the letter for its last five bits."""
_FORM: Final = re.compile(r"(0[0-9]|[1-5][0-9]|6[0-3])[a-km-np-z2-9]{26}")


class _Buckets:
    """The buckets of this process's data."""

    names: tuple[str, ...] = ("00",)


def use_buckets(number: int) -> None:
    """Let the ids that this process makes have this number of buckets, which belongs to the data in Redis."""
    if number != len(_Buckets.names):
        _Buckets.names = tuple(f"{bucket:02d}" for bucket in range(number))
        derived_match_id.cache_clear()


def buckets() -> tuple[str, ...]:
    """Return all buckets of the data: `00` alone, or `00` … `63` on a Redis Cluster."""
    return _Buckets.names


def new_match_id() -> str:
    """Return a new id in a random bucket."""
    return secrets.choice(buckets()) + random_text(26)


@lru_cache(maxsize=4096, typed=True)
def derived_match_id(*parts: object) -> str:
    """Return the id derived from these parts, so that creating the same match twice creates it once.

    Nobody can guess it without knowing all parts; include a secret one.
    """
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return buckets()[digest[0] % len(buckets())] + _text(digest[1:27])


def random_text(length: int) -> str:
    """Return random letters and digits, five bits each, from an alphabet without look-alikes."""
    return _text(secrets.token_bytes(length))


def _text(random: bytes) -> str:
    return random.translate(_LETTER_OF).decode()


def is_match_id(text: str) -> bool:
    """Return whether a text has the form of a match id."""
    return _FORM.fullmatch(text) is not None


def bucket_of(match_id: str) -> str:
    """Return the bucket of a match id, `00` … `63`: the hash tag of all keys that one commit touches."""
    return match_id[:2]
