"""The registry of games. It imports every module in `engine/games`, so a new file there needs no other change."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from engine import games
from engine.game import Game


def _discover() -> dict[str, type[Game]]:
    by_id: dict[str, type[Game]] = {}
    for info in pkgutil.iter_modules(games.__path__):
        module = importlib.import_module(f"{games.__name__}.{info.name}")
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, Game) and hasattr(cls, "id") and inspect.getmodule(cls) is module:
                by_id[cls.id] = cls
    return dict(sorted(by_id.items()))


GAMES: Mapping[str, type[Game]] = MappingProxyType(_discover())
"""The registered games by id, in ascending order."""
