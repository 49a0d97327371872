"""The search's knowledge of each game: how to read its events, and its playout policy.

A module of this package that is named after a game's id has

* `read(knowledge, events)`: adds the events of a deal to a `DeckKnowledge`;
* `player(game, rng)`: a playout policy for this table, a function from states to moves. It uses only what the seat to
  move would see;
* `racer(game, rng)`, in games that have one: the playout policy of the search, where `player` stays for reviews;
* `candidates(game, state, most)`: at most this many answers or free moves of the seat to move, the most promising
  first;
* `position(game, state, rng)`, in games that have one: the position for the tree search, or `None` unless every seat
  knows all cards, by elimination or because they lie open;
* `default(game, state)`, in games that have one: the move that the search plays in doubt instead of `greedy`'s;
* `estimate(game, state)`, in games that have one: the expected points of the deal by seat, or `None` for states
  without an estimate. With it goes `DEPTH`, the number of moves after which a playout may end at an estimate.
* `redeal(game, state, seat, before, after, received)`, in games that have one: the state with the deck `after` instead
  of `before`, where `seat` sees and has seen the same with both. `received` has by seat the places that it has
  received. `None` asks for a replay of the deal.

`greedy` plays a game without a module.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from bots.search.determinization import DeckKnowledge, Events, Redeal
from bots.search.policies._open_piles import OpenPiles
from engine.game import Game, Move

PlayoutPolicy = Callable[[Any], Move]


class GamePolicy(NamedTuple):
    """The contents of a game's module."""

    read: Callable[[DeckKnowledge, Events], None]
    player: Callable[[Game, Random], PlayoutPolicy]
    racer: Callable[[Game, Random], PlayoutPolicy]
    candidates: Callable[[Game, Any, int], Sequence[Move]]
    position: Callable[[Game, Any, Random], OpenPiles | None]
    estimate: Callable[[Game, Any], Sequence[float] | None]
    depth: int
    default: Callable[[Game, Any], Move | None]
    redeal: Redeal | None


def _discover() -> dict[str, GamePolicy]:
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return {
        name: GamePolicy(
            module.read,
            module.player,
            getattr(module, "racer", module.player),
            module.candidates,
            getattr(module, "position", _no_position),
            getattr(module, "estimate", _none),
            getattr(module, "DEPTH", 0),
            getattr(module, "default", _none),
            getattr(module, "redeal", None),
        )
        for name, module in modules.items()
    }


def _no_position(game: Game, state: Any, rng: Random) -> None:
    """Return nothing: in this game the search never counts on knowing all cards."""


def _none(game: Game, state: Any) -> None:
    """Return nothing: in this game playouts go to the end of the deal, and `greedy` has the default."""


POLICIES: Mapping[str, GamePolicy] = MappingProxyType(_discover())
"""The policies by game id."""
