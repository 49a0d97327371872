"""`greedy`: a few rules of thumb for each game, without lookahead.

The heuristic of a game is the function `choose` in the module of this package that is named after the game's id.
`_bot` plays a game without a module. Modules that begin with an underscore belong to no single game.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from bots.house.greedy._bot import GreedyBot, Heuristic


def _discover() -> dict[str, Heuristic]:
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    return {name: importlib.import_module(f"{__name__}.{name}").choose for name in sorted(names)}


HEURISTICS: Mapping[str, Heuristic] = MappingProxyType(_discover())
"""The heuristics by game id."""

__all__ = ["HEURISTICS", "GreedyBot", "Heuristic"]
