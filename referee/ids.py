"""Match ids and their buckets.

An id begins with two digits, its bucket. The rest is 130 random bits, so that nobody can guess or count ids.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from functools import lru_cache
from typing import Final

BUCKETS: Final = 64
_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"
_LETTER_OF: Final = (_ALPHABET * 8).encode()
"""By byte, the letter for its last five bits."""
_FORM: Final = re.compile(r"(0[0-9]|[1-5][0-9]|6[0-3])[a-km-np-z2-9]{26}")


def new_match_id() -> str:
    """Return a new id in a random bucket."""
    return f"{secrets.randbelow(BUCKETS):02d}" + random_text(26)


@lru_cache(maxsize=4096, typed=True)
def derived_match_id(*parts: object) -> str:
    """Return the id derived from these parts, so that creating the same match twice creates it once.

    Nobody can guess it without knowing all parts; include a secret one.
    """
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return f"{digest[0] % BUCKETS:02d}{_text(digest[1:27])}"


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


ALL_BUCKETS: Final[tuple[str, ...]] = tuple(f"{number:02d}" for number in range(BUCKETS))
