"""The heuristic of both pile games: beat cheaply, and leave a top card that is hard for the next player.

Each game sets the price of a card, its value when kept. A good top card is unlikely to be beaten by the next player
and makes for a large pickup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.cards import CARD_OF_TEXT, CARD_TEXT

_BIT: Final = {text: 1 << card for card, text in enumerate(CARD_TEXT)}


class GreedyPile(NamedTuple):
    """The lookup tables of a game."""

    price: Sequence[float]
    """By card, its value when kept."""
    beaters: Sequence[int]
    """By card, the cards with which the next player beats it."""
    burden: Sequence[int]
    """By top card, the number of cards that the next player picks up."""
    weight: float
    """The value of each card that the next player has to pick up."""


def choose(pile: GreedyPile, seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Return the best lead; or the cheapest beat with the best card on top; or, without a beat, the pickup."""
    if moves[0][0] == "l":
        return f"lead {_best_on_top(pile, seen, seen['hand'])}"
    beaters = {move[5:7] for move in moves if move[0] == "b"}
    if not beaters:
        return moves[0]
    price = pile.price
    cheapest = min(beaters, key=lambda text: (price[CARD_OF_TEXT[text]], text))
    others = [card for card in seen["hand"] if card != cheapest]
    return f"beat {cheapest} {_best_on_top(pile, seen, others)}" if others else f"beat {cheapest}"


def _best_on_top(pile: GreedyPile, seen: Mapping[str, Any], cards: Sequence[str]) -> str:
    """Return the best of these cards to put on top of the pile."""
    sizes, me = seen["hand_sizes"], seen["seat"]
    seats = len(sizes)
    following = next((me + step) % seats for step in range(1, seats + 1) if sizes[(me + step) % seats])
    known = [sum([_BIT[card] for card in hand]) for hand in seen["known"]]
    known[me] = sum([_BIT[card] for card in seen["hand"]])
    theirs, located = known[following], sum(known)
    hidden = sum(sizes) - located.bit_count() + seen.get("stock", 0)
    share = (sizes[following] - theirs.bit_count()) / hidden if hidden > 0 else 0.0
    price, beaters, burden, weight = pile
    depth = seen["pile"] + 2
    best, text = -1e9, cards[0]
    for name in cards:
        card = CARD_OF_TEXT[name]
        over, worth = beaters[card], -price[card]
        if not over & theirs:
            worth += weight * (1.0 - share) ** (over & ~located).bit_count() * min(burden[card], depth)
        if worth > best:
            best, text = worth, name
    return text
