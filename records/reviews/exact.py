"""Moves of a record whose value is known exactly: in these positions nothing is hidden from the seat to move."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from bots.solver import Unsolvable, solve
from engine.game import Game
from engine.match import MatchState
from records.match import log
from records.match.log import Entry
from records.match.played import entries_of_record, match_of_record
from records.match.session import replay

NODES: Final = 5_000
"""How many nodes a position may need: up to half a second."""
MOST_SOLVED: Final = 100
"""How many positions of a match are solved."""
MOST_FAILED: Final = 20
"""How many positions of a match may be out of reach, after which no more are solved. A match may have a thousand
deals."""


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
    seats. Each deal is solved from its end back to the first position that is out of reach.

    Raise `engine.game.Refusal` for moves that are no play of this match.
    """
    match = match_of_record(record)
    solved = _EndingSolver(match.game)
    moves, state, asked = 0, match.begin(), list[tuple[int, MatchState, Entry]]()
    for entry in entries_of_record(record):
        if entry.by_chance:
            yield from solved.of_deal(asked)
            moves, asked = 0, []
        moves += entry.is_move
        is_own = entry.answers and entry.seat in seats and entry.by != log.BY_FORFEIT
        if is_own and len(match.legal(state, entry.seat)) > 1:
            asked.append((moves, state, entry))
        state = replay(match, state, [entry])
    yield from solved.of_deal(asked)


class _EndingSolver:
    """Solves the endings of a match, as far as `MOST_SOLVED` and `MOST_FAILED` permit."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._solved = self._failed = 0

    def of_deal(self, asked: Sequence[tuple[int, MatchState, Entry]]) -> list[ExactMove]:
        """Return the exact moves of a deal, given its decisions as the number of the move, the state and the move."""
        found = []
        for move, state, entry in reversed(asked):
            if self._solved >= MOST_SOLVED or self._failed >= MOST_FAILED:
                break
            with suppress(Unsolvable):
                values = _solved(self._game, state.deal)
                if values is None:
                    self._failed += 1
                    break
                self._solved += 1
                found.append(ExactMove(state.number, move, entry.seat, entry.move, values))
        return found[::-1]


def exact_values(game: Game, state: Any) -> dict[str, int] | None:
    """Return the exact value of each legal move in the state of a deal, or `None` if cards are hidden or it takes too
    long. With more than two sides a value depends on whom the others help, so none is exact."""
    if len(set(game.sides)) > 2:
        return None
    with suppress(Unsolvable):
        return _solved(game, state)
    return None


def _solved(game: Game, state: Any) -> dict[str, int] | None:
    """Return the values, or `None` if it takes too long. Raise `Unsolvable`."""
    solution = solve(game, state, NODES)
    return solution and {game.text(state, move): value for move, value in solution.values.items()}
