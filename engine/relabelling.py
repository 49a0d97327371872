"""Relabelling of suits: the same deal with its suits permuted.

As text, a relabelling lists the suits that C, D, H and S become, in this order. `CDHS` is the identity.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Final

from engine.cards import SUITS

Suits = tuple[int, int, int, int]
"""By suit (C D H S), the suit that it becomes."""
ALL_RELABELLINGS: Final[tuple[Suits, ...]] = tuple(permutations(range(4)))  # type: ignore[arg-type]  # each has four


def relabelled(cards: Iterable[int], suits: Suits) -> tuple[int, ...]:
    """Return the relabelled cards, in the same order."""
    if suits == ALL_RELABELLINGS[0]:
        return tuple(cards)
    return tuple([card & ~3 | suits[card & 3] for card in cards])


def undone(suits: Suits) -> Suits:
    """Return the inverse of a relabelling."""
    return suits.index(0), suits.index(1), suits.index(2), suits.index(3)


def suits_text(suits: Suits) -> str:
    """Return the relabelling as text."""
    return "".join([SUITS[suit] for suit in suits])


def parse_suits(text: str) -> Suits:
    """Return the relabelling that a text denotes. Raise `ValueError` unless it has each suit once."""
    if sorted(text) != sorted(SUITS):
        raise ValueError(f"a relabelling must have each of {SUITS} once, got {text!r}")
    first, second, third, fourth = (SUITS.index(letter) for letter in text)
    return first, second, third, fourth
