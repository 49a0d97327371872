"""What the parts of rounds share: the services that they use, the permission to create matches, and jobs for rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

from league.ladders.model import ROUNDS, Ladder, Round
from league.ladders.redis import RedisLadderStore
from league.ladders.service import Ladders
from records.ratings.model import Rating
from referee.after_commit import AfterCommitStep
from referee.duplicate_groups import Groups
from referee.greenlets import RunInThread
from referee.referee import Referee
from referee.service.admission import admit, admits
from referee.service.redis import RedisService


class RoundJobs(Protocol):
    """The jobs of rounds, and the workers that run them."""

    def wake_round(self, ladder: str, number: int, epoch: int) -> None:
        """Enqueue work on a round. A call may be dropped while a job with the same arguments waits."""

    def start_due(self, ladder: str, due: int) -> None:
        """Enqueue the start of the round that is due at this instant. Equal calls may be dropped likewise."""

    def workers(self) -> int:
        """Return about how many workers run, at least 1."""

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        """Enqueue up to this many jobs that help with a round. Does nothing while such jobs wait, because then no
        worker is free."""


@dataclass(eq=False)
class RoundContext:
    """The services that rounds use."""

    ladders: Ladders
    referee: Referee
    groups: Groups
    jobs: RoundJobs
    _: KW_ONLY
    running: Callable[[Sequence[str]], Mapping[str, int]] = lambda bots: {}
    """Returns in how many matches each of these bots plays now, in all ladders and outside. A round counts its own
    too."""
    monotonic: Callable[[], float] = time.monotonic
    service: RedisService | None = None
    """Rounds start and proceed while it runs."""
    ratings: Callable[[str, Sequence[str]], Mapping[str, Rating]] = lambda preset, bots: {}
    """Returns the ratings of these bots in a preset, as far as they have any."""
    online: Callable[[Sequence[str]], set[str]] = lambda bots: {*bots}
    """Returns the ids of those of these remote bots that are online."""
    leaving: Callable[[Sequence[str]], set[str]] = lambda bots: set()
    """Returns the ids of those of these remote bots that finish their matches and begin none."""
    report: Callable[[Ladder, Round], None] = lambda ladder, round_: None
    """Takes rounds that have started, before their first match, maybe more than once."""
    report_failed: Callable[[Ladder, Round], None] = lambda ladder, round_: None
    """Takes rounds that fail, maybe more than once."""
    run_in_thread: RunInThread = lambda call: call()
    """Calls the format, which takes seconds for a ladder with a thousand entries."""

    @property
    def store(self) -> RedisLadderStore:
        return self.ladders.store

    def check_open(self) -> None:
        """Raise `ServicePaused`, `ServiceDraining` or `StorageFull` unless new matches may be created."""
        if self.service is not None:
            admit(self.service)

    def is_open(self) -> bool:
        """Return whether `check_open` would not raise."""
        return self.service is None or admits(self.service)

    def epoch(self, ladder_id: str, number: int) -> int:
        (found,) = self.store.rounds(ladder_id, [number])
        return found.epoch if found is not None else 0

    def wake_round(self, ladder_id: str, number: int, epoch: int | None = None) -> None:
        """Enqueue a job for a round. Its epoch is part of the job, so the job of a dead worker blocks no new one. A
        known `epoch` saves a round trip."""
        self.jobs.wake_round(ladder_id, number, self.epoch(ladder_id, number) if epoch is None else epoch)

    def wake_opened(self, ladder_id: str, number: int, now: int) -> None:
        """Enqueue a job for a round that was just opened. Raises nothing, since the clock finds the round due
        anyway."""

        def wake() -> None:
            self.store.set_due(ROUNDS, ladder_id, now)
            self.jobs.wake_round(ladder_id, number, 0)

        self.referee.after_commit.run(AfterCommitStep.ROUND, wake, None)


class RoundPart:
    """A part of the work on rounds."""

    def __init__(self, context: RoundContext) -> None:
        self._context, self._ladders, self._store = context, context.ladders, context.store
        self._referee = context.referee
