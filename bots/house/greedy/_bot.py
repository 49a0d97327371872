"""The bot, which finds the heuristic of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from bots.house.greedy import _any_game
from engine.game import Game

Heuristic = Callable[[Game, Mapping[str, Any], Sequence[str], Random], str]


class GreedyBot:
    """The stronger anchor, as fast as `random`."""

    name = "greedy"
    version = "1"

    def __init__(self, heuristics: Mapping[str, Heuristic]) -> None:
        """`heuristics` has the heuristics by game id."""
        self._heuristics = dict(heuristics)

    def pick(self, moves: int, rng: Random) -> int | None:
        return 0 if moves == 1 else None

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        if len(legal_moves) == 1 and not observation.get("free_moves"):
            return legal_moves[0]
        return self._heuristics.get(game.id, _any_game.choose)(game, observation, legal_moves, rng)
