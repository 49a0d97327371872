"""The exact values of a position with the lines of best play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bots.solver import TooLong, lines
from engine.game import NOBODY, Game


class SolvedPosition(NamedTuple):
    """What each legal move of the seat to move is worth, and how the deal goes on after it."""

    values: Mapping[str, int]
    """As in `records.endings.model.ExactEnding`."""
    lines: Mapping[str, tuple[str, ...]]
    """By legal move, the moves of best play after it, to the end of the deal or until a position repeats."""


def solved(game: Game, state: Any, nodes: int) -> SolvedPosition | None:
    """Return the exact values of a position in a deal, or `None` if that takes more than `nodes` nodes. As in the
    solver, the turn limit is not part of them. Raise `bots.solver.Unsolvable`."""
    if "turn_limit" in game.options:
        state = state._replace(moves=0)
    try:
        found = lines(game, state, nodes)
    except TooLong:
        return None
    if len(found) < len(state.legal):
        return None
    values, texts = {}, {}
    for move, line in found.items():
        text, after, told = game.text(state, move), game.play(state, state.to_move, move), list[str]()
        for each in line:
            told.append(game.text(after, each))
            after = game.play(after, after.to_move, each)
        values[text], texts[text] = _lead(game, after, state.to_move), tuple(told)
    return SolvedPosition(values, texts)


def _lead(game: Game, state: Any, seat: int) -> int:
    """Return what a seat gets ahead of the other side; with four sides, as in King, what it gets. A deal that goes
    round for ever brings nothing."""
    if state.to_move != NOBODY:
        return 0
    points, sides = game.returns(state), game.sides
    others = [points[other] for other, side in enumerate(sides) if side != sides[seat]]
    return points[seat] - (others[0] if len(set(sides)) == 2 else 0)
