"""Match ids and their buckets. An id begins with two digits, its bucket; the rest is 130 random bits, so that
ids can be neither guessed nor counted."""

from __future__ import annotations

import hashlib
import re
import secrets
from functools import lru_cache
from typing import Final

BUCKETS: Final = 64
_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"
_LETTER_OF: Final = (_ALPHABET * 8).encode()
"""By byte, the letter of its last five bits."""
_FORM: Final = re.compile(r"(0[0-9]|[1-5][0-9]|6[0-3])[a-km-np-z2-9]{26}")


def new_match_id() -> str:
    """A fresh id in a random bucket."""
    return f"{secrets.randbelow(BUCKETS):02d}" + random_text(26)


@lru_cache(maxsize=4096, typed=True)
def derived_match_id(*parts: object) -> str:
    """The one id that follows from these parts: who creates the same match twice creates it once. It can be
    guessed by nobody who does not know a part that can't be guessed."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return f"{digest[0] % BUCKETS:02d}{_text(digest[1:27])}"


def random_text(length: int) -> str:
    """Random letters and digits, five bits each, none that reads like another."""
    return _text(secrets.token_bytes(length))


def _text(random: bytes) -> str:
    return random.translate(_LETTER_OF).decode()


def is_match_id(text: str) -> bool:
    """Whether a text has the form of a match id."""
    return _FORM.fullmatch(text) is not None


def bucket_of(match_id: str) -> str:
    """The bucket of a match id, `00` … `63`: the hash tag of all that one commit touches."""
    return match_id[:2]


ALL_BUCKETS: Final[tuple[str, ...]] = tuple(f"{number:02d}" for number in range(BUCKETS))
