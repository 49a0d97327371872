"""What the end of a deal is worth to a seat: its points, less what the others get on an average.

So a deal that an opponent loses is better than a draw, as it is in the places of a match. Partners count as oneself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.game import NOBODY, Game


class Score:
    """The scores of one table."""

    def __init__(self, game: Game) -> None:
        self._game = game
        sides = game.sides
        seats = range(game.seats)
        self._others = [[other for other in seats if sides[other] != sides[seat]] for seat in seats]

    def of(self, state: Any, seat: int) -> float:
        """Of a deal that is over, or one that was broken off: the fewer cards in the hands, the better."""
        points = self._game.returns(state) if state.to_move == NOBODY else self._guess(state)
        others = self._others[seat]
        return points[seat] - sum([points[other] for other in others]) / len(others)

    def of_all(self, state: Any) -> list[float]:
        """The same for every seat."""
        return [self.of(state, seat) for seat in range(self._game.seats)]

    def _guess(self, state: Any) -> Sequence[float]:
        sizes = self._game.observe(state, None)["hand_sizes"]
        return [-size / max(1, sum(sizes)) for size in sizes]
