"""Bytes as URL-safe text: base64url without padding (RFC 4648, section 5), exactly one text per value."""

from __future__ import annotations

import base64


def encode(data: bytes) -> str:
    """Return the text of these bytes."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Return the bytes of a text from `encode`. Raises `ValueError` for any other text, spare bits included."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if encode(data) != text:
        raise ValueError("not the text of these bytes")
    return data
