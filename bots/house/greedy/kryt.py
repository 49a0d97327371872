"""Kryt'-navalivat': the prices of ranks and trumps. The bot always exchanges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from bots.house.greedy import _piles
from engine.cards import HIGHER, SUIT_MASK, SUITS
from engine.game import Game


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """Exchange whenever possible, else follow the heuristic of the pile games."""
    if "exchange" in observation.get("free_moves", ()) or "exchange" in legal_moves:
        return "exchange"
    pile = _rules(observation["trump"], observation["anti_trump"])
    return _piles.choose(pile, observation, legal_moves)


@cache
def _rules(trump_text: str, anti_text: str | None) -> _piles.GreedyPile:
    trump, anti = SUITS.index(trump_text), SUITS.index(anti_text) if anti_text else -1
    price, beaters, burden = [], [], []
    for card in range(52):
        suit, rank = card & 3, card >> 2
        price.append(rank + (9.0 if suit == trump else 2.0 if suit == anti else 0.0))
        beaters.append(HIGHER[card] | (0 if suit in (trump, anti) else SUIT_MASK[trump]))
        burden.append(1 if suit != trump else 3 if HIGHER[card] else 52)
    return _piles.GreedyPile(price, beaters, burden, 1.0)
