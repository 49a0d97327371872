"""For a game that has no heuristic yet: play the lowest cards, and play cards rather than none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CARD_OF_TEXT
from engine.game import Game


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """The move whose highest card is lowest; one without cards if there is no other."""
    return min(legal_moves, key=_highest)


def _highest(move: str) -> int:
    return max((CARD_OF_TEXT[word] for word in move.split() if word in CARD_OF_TEXT), default=99)
