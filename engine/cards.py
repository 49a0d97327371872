"""Cards as small ints, sets of cards as bit masks, and conversion to text.

A card is `4 * rank + suit`, 0 … 51, with ranks `2 … A` as 0 … 12 and suits `C D H S` as 0 … 3. The
natural order of the ints is therefore the order of the rules: by rank, then by suit in the order C D H S.
A set of cards is an int whose bit `card` is set for each of its cards.
"""

from collections.abc import Iterable
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"

CARD_TEXT: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARD_OF_TEXT: Final[dict[str, int]] = {text: card for card, text in enumerate(CARD_TEXT)}

SUIT_MASK: Final[tuple[int, ...]] = tuple(
    sum(1 << (4 * rank + suit) for rank in range(13)) for suit in range(4)
)
"""All cards of a suit, by suit."""

RANK_MASK: Final[tuple[int, ...]] = tuple(0b1111 << (4 * rank) for rank in range(13))
"""All cards of a rank, by rank."""

HIGHER: Final[tuple[int, ...]] = tuple(SUIT_MASK[card & 3] & ~((1 << (card + 1)) - 1) for card in range(52))
"""By card, the higher cards of its suit."""


def pack_from(lowest_rank: str) -> tuple[int, ...]:
    """Return the pack whose lowest rank is `lowest_rank`, a letter of `RANKS`, in ascending order."""
    return tuple(range(4 * RANKS.index(lowest_rank), 52))


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: int) -> tuple[int, ...]:
    """Return the cards of a mask in ascending order: by rank, then by suit."""
    low = _LOWEST[mask & 0x7FF] + _LOW[mask >> 11 & 0x7FF]
    return low + _MIDDLE[mask >> 22 & 0x7FF] + _HIGH[mask >> 33 & 0x7FF] + _TOP[mask >> 44]


def texts_of(mask: int) -> list[str]:
    """Return the cards of a mask as text, in ascending order."""
    return [CARD_TEXT[card] for card in cards_of(mask)]


def _table(shift: int) -> tuple[tuple[int, ...], ...]:
    """Return the cards of each mask of 11 cards from `shift` on. Larger tables would take longer to make at start."""
    rows: list[tuple[int, ...]] = [()]
    for bit in range(11):
        last = (shift + bit,)
        rows += [row + last for row in rows]
    return tuple(rows)


_LOWEST: Final = _table(0)
_LOW: Final = _table(11)
_MIDDLE: Final = _table(22)
_HIGH: Final = _table(33)
_TOP: Final = _table(44)
