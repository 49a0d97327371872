"""The budget of a search. A bot always uses it up, so that its thinking time reveals nothing about the move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

MARGIN: Final = 0.05
"""The share of the time that is reserved for finishing the last playout. The bot waits out the rest."""
MOST_MARGIN_S: Final = 0.01


class Meter(Protocol):
    """The rest of a budget."""

    def more(self) -> bool:
        """Return whether another playout may start, and count it."""

    def used(self) -> float:
        """Return the share of the budget that is used up."""

    def finish(self) -> None:
        """Wait until the budget is used up."""


class Budget(Protocol):
    """The budget for each move."""

    def start(self) -> Meter:
        """Return a meter that starts now."""


class Iterations(NamedTuple):
    """A number of playouts, for the same result on every machine."""

    playouts: int

    def start(self) -> Meter:
        return _Counter(self.playouts)


Report = Callable[[float, float], None]
"""Takes the seconds that a move was searched, and those of them in which the thread got no processor."""


class Seconds(NamedTuple):
    """A number of seconds, with a monotonic clock and a sleep function."""

    seconds: float
    clock: Callable[[], float]
    rest: Callable[[float], None]
    processor: Callable[[], float] = lambda: 0.0
    """Returns the processor time of the thread, in seconds. Only `report` needs it."""
    report: Report | None = None

    def start(self) -> Meter:
        return _Watch(self)


class _Counter:
    def __init__(self, playouts: int) -> None:
        self._playouts = self._left = playouts

    def more(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def used(self) -> float:
        return 1 - self._left / self._playouts

    def finish(self) -> None:
        """Return at once: `more` has counted down to zero."""


class _Watch:
    def __init__(self, budget: Seconds) -> None:
        self._budget, self._clock = budget, budget.clock
        self._began, self._worked = self._clock(), budget.processor()
        self._until = self._began + budget.seconds
        self._stop = self._until - min(budget.seconds * MARGIN, MOST_MARGIN_S)

    def more(self) -> bool:
        return self._clock() < self._stop

    def used(self) -> float:
        return (self._clock() - self._began) / (self._stop - self._began)

    def finish(self) -> None:
        now = self._clock()
        if self._budget.report is not None:
            searched = now - self._began
            worked = self._budget.processor() - self._worked
            self._budget.report(searched, min(max(0.0, searched - worked), searched))
        left = self._until - now
        if left > 0:
            self._budget.rest(left)
