"""Verification of Ed25519 signatures (RFC 8032, section 5.1.7), in about 2 ms.

Nothing here is secret, so the time that it takes may show what it computes. The service signs with cryptography.
"""

from __future__ import annotations

import hashlib
from functools import reduce
from typing import Final

_P: Final = 2**255 - 19
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ROOT: Final = pow(2, (_P - 1) // 4, _P)
"""A square root of -1."""

_Point = tuple[int, int, int, int]
"""Extended coordinates X, Y, Z, T: x = X / Z, y = Y / Z, xy = T / Z."""
_ZERO: Final[_Point] = (0, 1, 1, 0)


def is_valid(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the owner of this public key signed this message."""
    if len(key) != 32 or len(signature) != 64:
        return False
    owner, nonce = _decoded(key), _decoded(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if owner is None or nonce is None or scalar >= _ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _ORDER
    # s B = R + k A
    found = _sum_of_multiples(scalar, _BASE, _ORDER - challenge, owner)
    return (found[0] - nonce[0] * found[2]) % _P == 0 == (found[1] - nonce[1] * found[2]) % _P


def _add(one: _Point, other: _Point) -> _Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % _P, (one[1] + one[0]) * (other[1] + other[0]) % _P
    c, d = 2 * one[3] * other[3] * _D % _P, 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _sum_of_multiples(first: int, one: _Point, second: int, other: _Point) -> _Point:
    """Return `first * one + second * other`, with one doubling for each bit."""
    addends = (None, one, other, _add(one, other))

    def step(found: _Point, bit: int) -> _Point:
        found = _add(found, found)
        addend = addends[(first >> bit & 1) + 2 * (second >> bit & 1)]
        return found if addend is None else _add(found, addend)

    return reduce(step, reversed(range(max(first.bit_length(), second.bit_length()))), _ZERO)


def _decoded(text: bytes) -> _Point | None:
    """Return the point of 32 bytes; `None` if they denote none."""
    number = int.from_bytes(text, "little")
    sign, y = number >> 255, number & 2**255 - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else _P - x
    return x, y, 1, x * y % _P


_BASE: Final = _decoded(bytes([0x58]) + bytes([0x66]) * 31) or _ZERO
