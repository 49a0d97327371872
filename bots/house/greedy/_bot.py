"""The bot, which finds the heuristic of a game.

The heuristic for games without their own: play the lowest cards, and a card rather than none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CARD_OF_TEXT
from engine.game import Game

Heuristic = Callable[[Game, Mapping[str, Any], Sequence[str], Random], str]


class GreedyBot:
    """The anchor of ratings, as fast as `random`."""

    name = "greedy"
    version = "1"

    def __init__(self, heuristics: Mapping[str, Heuristic]) -> None:
        self._heuristics = dict(heuristics)

    def pick(self, moves: int, rng: Random) -> int | None:
        return 0 if moves == 1 else None

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        if len(legal_moves) == 1 and not observation.get("free_moves"):
            return legal_moves[0]
        return self._heuristics.get(game.id, choose_in_any_game)(game, observation, legal_moves, rng)


def choose_in_any_game(
    game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
) -> str:
    """Return the move with the lowest highest card; a move without cards comes last."""
    return min(legal_moves, key=_highest)


def _highest(move: str) -> int:
    return max((CARD_OF_TEXT[word] for word in move.split() if word in CARD_OF_TEXT), default=99)
