"""`greedy`: a few rules of thumb for each game, and no thinking ahead.

A game's heuristic is a module of this package with the game's id as its name and a function `choose`. It is found by
looking; a game without one is played by `_any_game`. Modules whose names begin with an underscore are no games.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from bots.house.greedy import _any_game
from engine.game import Game

Heuristic = Callable[[Game, Mapping[str, Any], Sequence[str], Random], str]


def _find() -> dict[str, Heuristic]:
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    return {name: importlib.import_module(f"{__name__}.{name}").choose for name in sorted(names)}


HEURISTICS: Mapping[str, Heuristic] = MappingProxyType(_find())
"""By the id of the game."""


class GreedyBot:
    """Plainly better than `random`, and as quick to answer."""

    name = "greedy"
    version = "1"

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        """What the game's heuristic says; a single move without asking it."""
        if len(legal_moves) == 1 and not observation.get("free_moves"):
            return legal_moves[0]
        return HEURISTICS.get(game.id, _any_game.choose)(game, observation, legal_moves, rng)
