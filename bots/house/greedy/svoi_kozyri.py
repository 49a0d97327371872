"""Svoi Kozyri: the prices of ranks and own trumps, and the trumps of the next player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from bots.house.greedy import _piles
from engine.cards import HIGHER, SUITS
from engine.game import Game
from engine.pile import beaters_with


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """Follow the heuristic of the pile games, with the trumps of this seat and of the next player."""
    me, sizes, trumps = observation["seat"], observation["hand_sizes"], observation["trumps"]
    seats = len(sizes)
    following = next((me + step) % seats for step in range(1, seats + 1) if sizes[(me + step) % seats])
    pile = _rules(trumps[me], trumps[following], observation["whole_pile"])
    return _piles.choose(pile, observation, legal_moves)


@cache
def _rules(own_text: str, next_text: str, whole_pile: bool) -> _piles.GreedyPile:
    own, following = SUITS.index(own_text), SUITS.index(next_text)
    price, burden = [], []
    for card in range(52):
        suit, rank = card & 3, card >> 2
        price.append(rank + (9.0 if suit == own else 0.0))
        burden.append(52 if whole_pile else 3 if suit != following else 5 if HIGHER[card] else 52)
    return _piles.GreedyPile(price, beaters_with(following), burden, 1.0)
