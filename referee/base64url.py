"""Bytes as text for an address: base64url without padding (RFC 4648, section 5), one text for each value."""

from __future__ import annotations

import base64


def encode(data: bytes) -> str:
    """The text."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """What `encode` was given. Raises `ValueError` for any other text, one with spare bits set among them."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if encode(data) != text:
        raise ValueError("not the text of these bytes")
    return data
