"""How work on a round comes about: whoever has something to be done says so, and a job does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from league.ladder_store import ROUNDS, LadderStore
from referee.after_commit import AfterCommit, Hook

Wake = Callable[[str, int, int], None]
"""Have a round worked on soon: ladder, number, epoch. A wake-up for the same three may be left out while one waits."""
StartDue = Callable[[str, int], None]
"""Have a round started for a due instant: ladder, instant. The same."""


class Places(Protocol):
    """The queue of jobs, as far as it tells how long it is."""

    def before_start(self, ladder: str) -> int | None:
        """How many jobs come before the one that starts a round of the ladder; `None`: none waits."""

    def before_round(self, ladder: str, number: int) -> int | None:
        """The same of the one that works on a round."""


class NoPlaces:
    """No queue: nothing waits."""

    def before_start(self, ladder: str) -> int | None:
        """See `Places`."""

    def before_round(self, ladder: str, number: int) -> int | None:
        """See `Places`."""


class Wakes:
    """Wakes rounds by their present epoch, so that the job of a worker that died is in nobody's way."""

    def __init__(self, store: LadderStore, wake: Wake, after: AfterCommit) -> None:
        self._store, self._wake, self._after = store, wake, after

    def __call__(self, ladder_id: str, number: int, epoch: int | None = None) -> None:
        """Have this round worked on soon; `epoch` spares a look where it is known."""
        self._wake(ladder_id, number, self.epoch(ladder_id, number) if epoch is None else epoch)

    def opened(self, ladder_id: str, number: int, now: int) -> None:
        """Have a round worked on that was opened this moment. Raises nothing: the round is due already."""

        def wake() -> None:
            self._store.set_due(ROUNDS, ladder_id, now)
            self._wake(ladder_id, number, 0)

        self._after.run(Hook.ROUND, wake, None)

    def epoch(self, ladder_id: str, number: int) -> int:
        """For `Wake`."""
        (found,) = self._store.rounds(ladder_id, [number])
        return found.epoch if found is not None else 0
