"""The heuristic for games without their own: play the lowest cards, and a card rather than none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CARD_OF_TEXT
from engine.game import Game


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """Return the move with the lowest highest card; a move without cards comes last."""
    return min(legal_moves, key=_highest)


def _highest(move: str) -> int:
    return max((CARD_OF_TEXT[word] for word in move.split() if word in CARD_OF_TEXT), default=99)
