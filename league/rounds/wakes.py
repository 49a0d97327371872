"""Jobs that work on rounds, and the positions of jobs in the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from league.ladders.model import ROUNDS
from league.ladders.redis import RedisLadderStore
from referee.after_commit import AfterCommit, Hook

Wake = Callable[[str, int, int], None]
"""Enqueues a job for a round: ladder, number, epoch. A call may be dropped while a job with the same arguments
waits."""
StartDue = Callable[[str, int], None]
"""Enqueues the start of a round for a due instant: ladder, instant. Equal calls may be dropped likewise."""


class JobQueuePositions(Protocol):
    """The positions of jobs in the queue."""

    def before_start(self, ladder: str) -> int | None:
        """Return how many jobs precede the one that starts a round of the ladder; `None` if none waits."""

    def before_round(self, ladder: str, number: int) -> int | None:
        """Return how many jobs precede the one that works on a round; `None` if none waits."""


class NoJobQueue:
    """An empty queue."""

    def before_start(self, ladder: str) -> int | None:
        """Return `None`."""

    def before_round(self, ladder: str, number: int) -> int | None:
        """Return `None`."""


class Wakes:
    """Enqueues jobs for rounds. The round's epoch is part of the job, so the job of a dead worker blocks no new
    one."""

    def __init__(self, store: RedisLadderStore, wake: Wake, after: AfterCommit) -> None:
        self._store, self._wake, self._after = store, wake, after

    def __call__(self, ladder_id: str, number: int, epoch: int | None = None) -> None:
        """Enqueue a job for a round. A known `epoch` saves a round trip."""
        self._wake(ladder_id, number, self.epoch(ladder_id, number) if epoch is None else epoch)

    def opened(self, ladder_id: str, number: int, now: int) -> None:
        """Enqueue a job for a round that was just opened. Raises nothing, since the clock finds the round due
        anyway."""

        def wake() -> None:
            self._store.set_due(ROUNDS, ladder_id, now)
            self._wake(ladder_id, number, 0)

        self._after.run(Hook.ROUND, wake, None)

    def epoch(self, ladder_id: str, number: int) -> int:
        (found,) = self._store.rounds(ladder_id, [number])
        return found.epoch if found is not None else 0
