"""What the search knows of each game: how to read its events, and how to play on quickly.

A module of this package with a game's id as its name has

* `read(puzzle, events)`: enters into a `Puzzle` what the events of a deal tell of the deck;
* `player(game, rng)`: a quick player of this table for playouts, a function from states to moves. It uses of a state
  only what the seat to move would see;
* `candidates(game, state, most)`: at most so many answers or free moves of the seat to move, the most promising first;
* `SETTINGS`, how to search.

It is found by looking; a game without one is played by `greedy`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from bots.search.puzzle import Events, Puzzle
from bots.search.settings import SearchSettings
from engine.game import Game, Move

Player = Callable[[Any], Move]


class Mind(NamedTuple):
    """One game's module, by what it must have."""

    read: Callable[[Puzzle, Events], None]
    player: Callable[[Game, Random], Player]
    candidates: Callable[[Game, Any, int], Sequence[Move]]
    settings: SearchSettings


def _find() -> dict[str, Mind]:
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return {
        name: Mind(module.read, module.player, module.candidates, module.SETTINGS)
        for name, module in modules.items()
    }


MINDS: Mapping[str, Mind] = MappingProxyType(_find())
"""By the id of the game."""
