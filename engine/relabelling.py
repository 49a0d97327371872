"""Relabelling of suits: the same deal with its suits called by each other's names.

As text a relabelling is the suits that C, D, H and S become, in this order: by `CDHS` everything stays as it is.
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
    """What these cards become, in the same order."""
    return tuple([card & ~3 | suits[card & 3] for card in cards])


def undone(suits: Suits) -> Suits:
    """The relabelling that takes this one back."""
    return suits.index(0), suits.index(1), suits.index(2), suits.index(3)


def suits_text(suits: Suits) -> str:
    """The relabelling as text."""
    return "".join([SUITS[suit] for suit in suits])


def parse_suits(text: str) -> Suits:
    """The relabelling of a text. Raises `ValueError` for one that does not have each suit once."""
    if sorted(text) != sorted(SUITS):
        raise ValueError(f"a relabelling has each of {SUITS} once, not {text!r}")
    first, second, third, fourth = (SUITS.index(letter) for letter in text)
    return first, second, third, fourth
