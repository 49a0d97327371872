"""Verifiable shuffles: a commitment, entropy from the bots, and a published unbiased algorithm.

Before the first deal the match shows `commitment = SHA-256(secret ‖ match id)` for a secret of 256 bits. Each bot may
register a text of its own (`entropy`), which is frozen before the first deal. The record reveals the secret, and secret
and entropies determine the decks:

    seed(n)   = SHA-256("kozyr-shuffle-1" ‖ 00 ‖ secret ‖ uint32(n) ‖ E)
    E         = for each seat: uint32(length of its entropy in UTF-8) ‖ those bytes (nothing: length 0)
    block(i)  = SHA-256(seed(n) ‖ uint64(i)),  i = 0, 1, …, read as big-endian 32-bit words one after another
    below(k)  = the next word w with w < 2^32 - (2^32 mod k), modulo k
    deck(n)   = Fisher-Yates: for i = last index down to 1: swap cards i and below(i + 1),
                beginning with the pack in ascending order (by rank, then C D H S)

All integers are big-endian. Deal `n` counts from 1; `n = 0` is the draw for the first dealer, `below(seats)`.
With an ideal hash the rejection makes every permutation equally likely (Durstenfeld, CACM 7(7), 1964).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from struct import Struct
from typing import Final

ALGORITHM: Final = "kozyr-shuffle-1"
_BLOCK: Final = Struct(">8I")
"""The words of a block."""


def commitment(secret: bytes, match_id: str) -> str:
    """Return the commitment of a match: hexadecimal SHA-256 of secret and match id."""
    return hashlib.sha256(secret + match_id.encode()).hexdigest()


def deck(secret: bytes, entropy: Sequence[str | None], number: int, pack: Sequence[int]) -> tuple[int, ...]:
    """Return the deck of deal `number` (from 1): `pack` in the order in which the cards leave it."""
    return _deck(secret, tuple(entropy), number, tuple(pack))


@lru_cache(maxsize=8)  # the tables of a duplicate group deal the same deck, one soon after another
def _deck(
    secret: bytes, entropy: tuple[str | None, ...], number: int, pack: tuple[int, ...]
) -> tuple[int, ...]:
    words = _words(secret, entropy, number)
    cards = list(pack)
    for i in range(len(cards) - 1, 0, -1):
        j = _below(i + 1, words)
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def first_dealer(secret: bytes, entropy: Sequence[str | None], seats: int) -> int:
    """Draw the first dealer of a match that names none."""
    return _below(seats, _words(secret, entropy, 0))


def _words(secret: bytes, entropy: Sequence[str | None], number: int) -> Iterator[int]:
    given = [(text or "").encode() for text in entropy]
    mixed = b"".join([len(text).to_bytes(4, "big") + text for text in given])
    seed = hashlib.sha256(ALGORITHM.encode() + b"\0" + secret + number.to_bytes(4, "big") + mixed).digest()
    for block in count():
        yield from _BLOCK.unpack(hashlib.sha256(seed + block.to_bytes(8, "big")).digest())
    raise AssertionError("the stream of words is endless")


def _below(bound: int, words: Iterator[int]) -> int:
    limit = (1 << 32) - (1 << 32) % bound
    word = next(words)
    while word >= limit:
        word = next(words)
    return word % bound
