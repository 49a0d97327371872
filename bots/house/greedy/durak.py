"""Durak: beat cheaply, keep the trumps, play the low cards, and early in the deal take rather than pay too much.

The price of a card is its value when kept: its rank, and more for a trump.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final

from engine.cards import CARD_TEXT, RANKS, SUITS
from engine.game import Game

TRUMP: Final = 9
"""What a trump costs beyond its rank: the lowest one costs as much as an ace."""

PAIR: Final = 2.5
"""The discount on an attack card for each further card of its rank in the hand."""

PAY: Final = 14
"""The highest price of a beat early in the deal."""

EARLY: Final = 5
"""It is early in the deal while the talon has more cards than this."""

_RANK: Final = {card: float(RANKS.index(card[0]) - RANKS.index("6")) for card in CARD_TEXT}


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """Exchange whenever possible, else answer by the question."""
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


def _prices(trump: str) -> dict[str, float]:
    return {card: rank + TRUMP if card[1] == trump else rank for card, rank in _RANK.items()}


_PRICES: Final = {suit: _prices(suit) for suit in SUITS}
"""By trump suit, the price of each card."""


@lru_cache(maxsize=4096)
def _cards(move: str) -> list[str]:
    """Return the cards of a move."""
    return move.split()[1:]


def _attack(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Return the cheapest rank, pairs before single cards, and where possible a batch without trumps."""
    prices, ranks = _PRICES[seen["trump"]], "".join([card[0] for card in seen["hand"]])
    found: list[float] = []
    for move in moves:
        cards = _cards(move)
        dearest = prices[cards[0]] if len(cards) == 1 else max([prices[card] for card in cards])
        found.append(dearest - PAIR * (ranks.count(cards[0][0]) - 1) - len(cards))
    return moves[found.index(min(found))]


def _throw(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Return a throw of cheap cards, or a pass. A larger talon lowers the limit, and trumps need an empty one."""
    if len(moves) == 1:
        return moves[0]
    prices, talon = _PRICES[seen["trump"]], seen["talon"]
    most = 5.0 if talon > EARLY else 7.0 if talon else 8.0
    if not talon and len(seen["hand"]) <= 2:
        most = 99.0
    gains = [sum([most + 0.5 - prices[card] for card in _cards(move)]) for move in moves]
    return moves[gains.index(max(gains))]


def _defend(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Return the cheapest beat, or `take`: if some card cannot be beaten, or the price is too high early on."""
    beats = [move for move in moves if move != "take"]
    if not beats:
        return "take"
    prices = _PRICES[seen["trump"]]
    open_cards = len([attack for attack, answer in seen["pairs"] if answer is None])
    if len({beat[5:7] for beat in beats}) < open_cards or len(seen["hand"]) < open_cards:
        return "take"
    costs = [prices[beat[8:]] - prices[beat[5:7]] / 4 for beat in beats]
    best = beats[costs.index(min(costs))]
    if seen["talon"] > EARLY and prices[best[8:]] > PAY:
        return "take"
    return best
