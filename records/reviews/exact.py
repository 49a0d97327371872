"""Moves of a record whose value is known exactly: in these positions nothing is hidden from the seat to move."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from bots.solver import Unsolvable, solve
from engine.game import Game
from records.match import log
from records.match.played import entries_of_record, match_of_record
from records.match.session import replay

NODES: Final = 5_000
"""How many nodes a position may need: a tenth of a second."""
MOST_SOLVED: Final = 100
"""How many positions of a match are solved: ten seconds. A match may have a thousand deals."""


class ExactMove(NamedTuple):
    """A move on turn for which its seat had a choice, in a position with exact values."""

    deal: int
    move: int
    """Its number among the moves of its deal, from 1."""
    seat: int
    played: str
    values: Mapping[str, int]
    """By legal move, as in `bots.solver.Solution`."""

    @property
    def critical(self) -> bool:
        """Whether some move loses something."""
        return len(set(self.values.values())) > 1

    @property
    def regret(self) -> int:
        """How many points the move lost."""
        return max(self.values.values()) - self.values[self.played]


def exact_moves(record: Mapping[str, Any], seats: Container[int]) -> Iterator[ExactMove]:
    """Yield the moves of these seats with exact values, also the safe moves of timeouts, but not those for forfeited
    seats. After `MOST_SOLVED` positions there are no more.

    Raise `engine.game.Refusal` for moves that are no play of this match.
    """
    match = match_of_record(record)
    state, moves, left = match.begin(), 0, MOST_SOLVED
    for entry in entries_of_record(record):
        moves = 0 if entry.by_chance else moves + entry.is_move
        is_own = entry.answers and entry.seat in seats and entry.by != log.BY_FORFEIT
        if left and is_own and len(match.legal(state, entry.seat)) > 1:
            with suppress(Unsolvable):
                values = _solved(match.game, state.deal)
                left -= 1
                if values is not None:
                    yield ExactMove(state.number, moves, entry.seat, entry.move, values)
        state = replay(match, state, [entry])


def exact_values(game: Game, state: Any) -> dict[str, int] | None:
    """Return the exact value of each legal move in the state of a deal, or `None` if cards are hidden or it takes too
    long. With more than two sides a value depends on whom the others help, so none is exact."""
    with suppress(Unsolvable):
        return _solved(game, state)
    return None


def _solved(game: Game, state: Any) -> dict[str, int] | None:
    """Return the values, or `None` if it takes too long. Raise `Unsolvable`."""
    if len(set(game.sides)) > 2:
        raise Unsolvable("more than two sides play")
    solution = solve(game, state, NODES)
    return solution and {game.text(state, move): value for move, value in solution.values.items()}
