"""Pointers, which replace stored matches that moved to the archive (`referee.archive`)."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

POINTER_FORMAT: Final = b"\x02"
"""The first byte of a stored match that is a pointer (`referee.storage.redis`)."""
_POINTER: Final = struct.Struct(">IQIH")


class Pointer(NamedTuple):
    """The place of an archived match."""

    segment: int
    """The position of its segment in the register, from 0."""
    offset: int
    """Where its frame begins."""
    length: int
    """The bytes of its frame."""
    line: int
    """Its line in the frame, from 0."""

    def to_bytes(self) -> bytes:
        """Return the stored form, 19 bytes."""
        return POINTER_FORMAT + _POINTER.pack(*self)

    @classmethod
    def from_bytes(cls, stored: bytes) -> Pointer:
        """Return the pointer of its stored form. Raise `ValueError`."""
        if stored[:1] != POINTER_FORMAT or len(stored) != 1 + _POINTER.size:
            raise ValueError("not a pointer to an archived match")
        return cls(*_POINTER.unpack(stored[1:]))
