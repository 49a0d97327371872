"""The value of the end of a deal to a seat: its points, less the average points of its opponents.

A deal that an opponent loses is therefore better than a draw, as in the places of a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.game import NOBODY, Game


class Score:
    """The values of deals at one table."""

    def __init__(self, game: Game) -> None:
        self._game = game
        sides = game.sides
        seats = range(game.seats)
        self._others = [[other for other in seats if sides[other] != sides[seat]] for seat in seats]

    def value(self, state: Any, seat: int) -> float:
        """Return the value of a finished deal, or of a playout cut short, where fewer cards in hand are better."""
        points = self._game.returns(state) if state.to_move == NOBODY else self._guess(state)
        others = self._others[seat]
        return points[seat] - sum([points[other] for other in others]) / len(others)

    def values(self, state: Any) -> list[float]:
        return [self.value(state, seat) for seat in range(self._game.seats)]

    def _guess(self, state: Any) -> Sequence[float]:
        sizes = self._game.observe(state, None)["hand_sizes"]
        return [-size / max(1, sum(sizes)) for size in sizes]
