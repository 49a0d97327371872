"""All games, found by looking: a new file in `engine/games` is enough."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from engine import games
from engine.game import Game


def _find() -> dict[str, type[Game]]:
    found: dict[str, type[Game]] = {}
    for info in pkgutil.iter_modules(games.__path__):
        module = importlib.import_module(f"{games.__name__}.{info.name}")
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, Game) and hasattr(cls, "id") and inspect.getmodule(cls) is module:
                found[cls.id] = cls
    return dict(sorted(found.items()))


GAMES: Mapping[str, type[Game]] = MappingProxyType(_find())
"""Every registered game by id, in the order of their ids."""
