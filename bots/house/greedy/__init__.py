"""`greedy`: a few rules of thumb for each game, without lookahead.

The heuristic of a game is the function `choose` in the module of this package that is named after the game's id.
`_any_game` plays a game without a module. Modules that begin with an underscore belong to no single game.
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


def _discover() -> dict[str, Heuristic]:
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    return {name: importlib.import_module(f"{__name__}.{name}").choose for name in sorted(names)}


HEURISTICS: Mapping[str, Heuristic] = MappingProxyType(_discover())
"""The heuristics by game id."""


class GreedyBot:
    """The stronger anchor, as fast as `random`."""

    name = "greedy"
    version = "1"

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        if len(legal_moves) == 1 and not observation.get("free_moves"):
            return legal_moves[0]
        return HEURISTICS.get(game.id, _any_game.choose)(game, observation, legal_moves, rng)
