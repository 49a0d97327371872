"""Durak. Beat as cheaply as one can, keep the trumps, get rid of what is low, and take rather than pay too much early.

A card's price is its rank, and a trump's its rank and more: what it is worth to keep it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from engine.cards import CARD_TEXT, RANKS
from engine.game import Game

TRUMP: Final = 9
"""What a trump costs beyond its rank: the lowest one costs as much as an ace."""

PAIR: Final = 2.5
"""What each further card of its rank in the hand takes off an attack card."""

PAY: Final = 14
"""The highest price for a card to beat with while much of the talon is left."""

EARLY: Final = 5
"""How many cards left in the talon make it early."""

_RANK: Final = {card: float(RANKS.index(card[0]) - RANKS.index("6")) for card in CARD_TEXT}


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """The exchange whenever it is possible, else by the question asked."""
    if "exchange" in observation.get("free_moves", ()) or "exchange" in legal_moves:
        return "exchange"
    question = observation["question"]
    if question == "attack":
        return _attack(observation, legal_moves)
    if question == "defend":
        return _defend(observation, legal_moves)
    if question in ("throw", "give"):
        return _throw(observation, legal_moves)
    return legal_moves[0]


def _price(card: str, trump: str) -> float:
    return _RANK[card] + TRUMP if card[1] == trump else _RANK[card]


def _attack(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """The cheapest rank, pairs before single cards; several at once where it may be and none of them is a trump."""
    trump, ranks = seen["trump"], [card[0] for card in seen["hand"]]

    def price(move: str) -> float:
        cards = move.split()[1:]
        dearest = max([_price(card, trump) for card in cards])
        return dearest - PAIR * (ranks.count(cards[0][0]) - 1) - len(cards)

    return min(moves, key=price)


def _throw(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Cards that are cheap: the cheaper, the more of the talon is left. Trumps only when there is none."""
    trump, talon = seen["trump"], seen["talon"]
    most = 5.0 if talon > EARLY else 7.0 if talon else 8.0
    if not talon and len(seen["hand"]) <= 2:
        most = 99.0

    def gain(move: str) -> float:
        if move == "pass":
            return 0.0
        return sum([most + 0.5 - _price(card, trump) for card in move.split()[1:]])

    return max(moves, key=gain)


def _defend(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """The cheapest beat, unless one of the cards on the table can't be beaten at all, or it is early and the price
    is high."""
    beats = [move for move in moves if move != "take"]
    if not beats:
        return "take"
    trump = seen["trump"]
    open_cards = [attack for attack, answer in seen["pairs"] if answer is None]
    if len({beat[5:7] for beat in beats}) < len(open_cards) or len(seen["hand"]) < len(open_cards):
        return "take"
    best = min(beats, key=lambda move: _price(move[8:], trump) - _price(move[5:7], trump) / 4)
    if seen["talon"] > EARLY and _price(best[8:], trump) > PAY:
        return "take"
    return best
