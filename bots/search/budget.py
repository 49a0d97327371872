"""How long a bot thinks. A budget is always used up: the time a move takes says nothing about the move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

MARGIN: Final = 0.05
"""The share of the time that is kept for the last playout under way, and waited out."""
MOST_MARGIN_S: Final = 0.01


class Meter(Protocol):
    """What is left of one budget."""

    def more(self) -> bool:
        """Whether another playout may be begun; counts it."""

    def finish(self) -> None:
        """Let pass what is left."""


class Budget(Protocol):
    """How long a bot may think about each move."""

    def start(self) -> Meter:
        """A new meter, running from now."""


class Iterations(NamedTuple):
    """A number of playouts: the same again on every machine."""

    playouts: int

    def start(self) -> Meter:
        return _Counter(self.playouts)


class Seconds(NamedTuple):
    """A time, by a monotonic clock in seconds and a way to let time pass, both handed in."""

    seconds: float
    clock: Callable[[], float]
    rest: Callable[[float], None]

    def start(self) -> Meter:
        return _Watch(self, self.clock() + self.seconds)


class _Counter:
    def __init__(self, left: int) -> None:
        self._left = left

    def more(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def finish(self) -> None:
        """Nothing is left when `more` has said no."""


class _Watch:
    def __init__(self, budget: Seconds, until: float) -> None:
        self._clock, self._rest, self._until = budget.clock, budget.rest, until
        self._stop = until - min(budget.seconds * MARGIN, MOST_MARGIN_S)

    def more(self) -> bool:
        return self._clock() < self._stop

    def finish(self) -> None:
        left = self._until - self._clock()
        if left > 0:
            self._rest(left)
