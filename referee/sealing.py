"""Encryption that also shows whether anybody has changed the text (AES-GCM).

cryptography is imported with the first text: it is large, and moves and polls need none.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE: Final = 12


class SealingKey:
    """A key that seals texts and opens them again."""

    def __init__(self, key: bytes) -> None:
        """`key` is 32 bytes long."""
        self._key = key

    def seal(self, text: bytes, bound: bytes | None = None) -> bytes:
        """Encrypt a text. It can be opened only with the same `bound`."""
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, text, bound)

    def open(self, sealed: bytes, bound: bytes | None = None) -> bytes:
        """Return the text. Raise `ValueError` if this key has not sealed it with this `bound`."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], bound)
        except InvalidTag:
            raise ValueError("the text was not sealed with this key") from None

    @cached_property
    def _cipher(self) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._key)
