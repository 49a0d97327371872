"""Exact values of positions in which no card is hidden, by search of all play from there.

    solution = solve(game, state)      # None if it is out of reach
    solution.value, solution.best      # for the seat to move

* `durak`: endings for two players, and for teams whose hands are known.
* `piles`: Kryt'-navalivat', Svoi Kozyri and Besikovich's game for two, with an empty stock.
* `king`: the last tricks with known hands.
* `besikovich`: Besikovich's game from the deal on, for packs of few ranks.
* `graph`: bounds of positions in games that can go round for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from bots.solver import durak, king, piles
from bots.solver.errors import HiddenCards, TooLong, Unsolvable
from bots.solver.graph import Bounds
from engine.game import NOBODY, Game, Move

MOST_NODES: Final = 1_000_000
"""The default number of nodes that a solution may visit. They use some 200 MB in Durak for two."""


class Solution(NamedTuple):
    """The exact values of a position for the seat to move.

    A value is 1 if the other side loses the deal, 0 for a draw and -1 if the own side loses. In King it is the points
    of this deal that the seat can force, whatever the others play.
    """

    values: Mapping[Move, int]
    """By legal move, the value after it."""

    @property
    def value(self) -> int:
        """The value of the position."""
        return max(self.values.values())

    @property
    def best(self) -> tuple[Move, ...]:
        """The moves that keep the value."""
        value = self.value
        return tuple([move for move, worth in self.values.items() if worth == value])


def solve(game: Game, state: Any, nodes: int = MOST_NODES, *, open_hands: bool = False) -> Solution | None:
    """Return the exact values of all legal moves, or `None` if that takes more than `nodes` nodes.

    Raise `Unsolvable` for a deal that is over, for a position that can't arise or that has no solver, and for one with
    cards that a seat can't know. `open_hands` solves it as if all hands lay open; a talon must be empty all the same.
    """
    try:
        found = bounds(game, state, nodes, open_hands=open_hands)
    except TooLong:
        return None
    if any(lowest < highest for lowest, highest in found.values()):
        return None
    return Solution({move: lowest for move, (lowest, _) in found.items()})


def bounds(
    game: Game, state: Any, nodes: int = MOST_NODES, *, open_hands: bool = False
) -> Mapping[Move, Bounds]:
    """Return by legal move the lowest and the highest value that it can have.

    Raise what `solve` raises, and `TooLong` where nothing is known after `nodes` nodes.
    """
    _refuse(game, state)
    return _SOLVERS[game.id](game, state, nodes, open_hands)


def lines(game: Game, state: Any, nodes: int = MOST_NODES) -> Mapping[Move, Sequence[Move]]:
    """Return by legal move the moves of best play after it, to the end of the deal or until a position repeats.

    Moves whose value is open after `nodes` nodes are missing. In King, the seat to move gets what it can force against
    all others. Raise what `bounds` raises.
    """
    _refuse(game, state)
    return _LINES[game.id](game, state, nodes)


def _refuse(game: Game, state: Any) -> None:
    if game.id not in _SOLVERS:
        raise Unsolvable(f"there is no solver for {game.id}")
    if state.to_move == NOBODY:
        raise Unsolvable("the deal is over")


_SOLVERS: Final = {
    "durak": durak.bounds,
    "king": king.bounds,
    "kryt": piles.bounds,
    "svoi_kozyri": piles.bounds,
}
_LINES: Final = {
    "durak": durak.lines,
    "king": king.lines,
    "kryt": piles.lines,
    "svoi_kozyri": piles.lines,
}

__all__ = [
    "MOST_NODES",
    "Bounds",
    "HiddenCards",
    "Solution",
    "TooLong",
    "Unsolvable",
    "bounds",
    "lines",
    "solve",
]
