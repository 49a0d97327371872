"""Step 2: play the cheapest card."""

import json
import sys
from typing import Any

RANKS = "6789TJQKA"
TRUMP = 12


def price(card: str, seen: dict[str, Any]) -> int:
    """Return what a card is worth to keep: its rank, and more for a trump."""
    return RANKS.find(card[0]) + (TRUMP if card[1] == seen["trump"] else 0)


def spent(move: str, seen: dict[str, Any]) -> int:
    """Return the price of the dearest card that a move plays from the hand."""
    return max((price(card, seen) for card in move.split()[1:] if card in seen["hand"]), default=0)


def choose(moves: list[str], seen: dict[str, Any]) -> str:
    """Return the move that costs least. Beat rather than take, and throw in rather than pass."""
    cards = [move for move in moves if move not in ("take", "pass")]
    return min(cards or moves, key=lambda move: spent(move, seen))


for line in sys.stdin:
    seen = json.loads(line)["observation"]
    print(choose(seen["legal_moves"], seen), flush=True)
