"""Durak: beat cheaply, keep the trumps, play the low cards, and early in the deal take rather than pay too much.

The price of a card is its value when kept: its rank, and more for a trump.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
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


def _attack(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Return the cheapest rank, pairs before single cards, and where possible a batch without trumps."""
    prices, hand = _PRICES[seen["trump"]], "".join(seen["hand"])
    best, least = moves[0], inf
    for move in moves:
        card = move[7:9]
        price = prices[card]
        if len(move) > len("attack 7H"):
            batch = move.split()[1:]
            price = max([prices[each] for each in batch]) - (len(batch) - 1)
        cost = price - PAIR * hand.count(card[0])
        if cost < least:
            best, least = move, cost
    return best


def _throw(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Return a throw of cheap cards, or a pass. A larger talon lowers the limit, and trumps need an empty one."""
    if len(moves) == 1:
        return moves[0]
    prices, talon = _PRICES[seen["trump"]], seen["talon"]
    most = 5.0 if talon > EARLY else 7.0 if talon else 8.0
    if not talon and len(seen["hand"]) <= 2:
        most = 99.0
    best, gain = moves[0], -inf
    for move in moves:
        worth = 0.0
        for card in move.split()[1:]:
            worth += most + 0.5 - prices[card]
        if worth > gain:
            best, gain = move, worth
    return best


def _defend(seen: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Transfer a cheap card, or return the cheapest beat, or `take`.

    It takes if some card cannot be beaten, or if the price is too high early on.
    """
    prices = _PRICES[seen["trump"]]
    if moves[-1].startswith("transfer"):
        moves, passed_on = _without_transfers(moves)
        cheapest = min(passed_on, key=lambda move: prices[move[9:11]])
        if not seen["talon"] or prices[cheapest[9:11]] < TRUMP:
            return cheapest
    best, least, paid = "take", inf, 0.0
    for move in moves:
        if move != "take":
            price = prices[move[8:]]
            cost = price - prices[move[5:7]] / 4
            if cost < least:
                best, least, paid = move, cost, price
    open_cards = len([attack for attack, answer in seen["pairs"] if answer is None])
    if open_cards > 1:
        beatable = {move[5:7] for move in moves if move != "take"}
        if len(beatable) < open_cards or len(seen["hand"]) < open_cards:
            return "take"
    if paid > PAY and seen["talon"] > EARLY:
        return "take"
    return best


def _without_transfers(moves: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the other moves, and the transfers of a single card."""
    others = [move for move in moves if not move.startswith("transfer")]
    return others, [move for move in moves if move.startswith("transfer") and len(move) == len("transfer 7H")]
