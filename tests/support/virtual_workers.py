"""Workers of a league in virtual time: real Redis, real leases, and matches that take a given time.

Each worker is a thread with a clock. Only the worker whose clock is behind all others runs; it waits while it plays.
So the workers interleave between any two steps as on as many processors, whatever the machine's speed.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from league.rounds import Rounds
from tests.support.league import LeagueWorld

START_S = 1e9
"""Virtual time begins far after any real monotonic time, so that no match is cut short in real time."""


class Conductor:
    """Lets the worker run whose clock is behind all others."""

    def __init__(self, workers: int) -> None:
        self._changed = threading.Condition()
        self._at = [START_S] * workers
        self._left: set[int] = set()

    def now(self, worker: int) -> float:
        """Return this worker's time in seconds."""
        return self._at[worker]

    def advance(self, worker: int, seconds: float) -> None:
        """Let time pass for this worker, and wait for its turn."""
        with self._changed:
            self._at[worker] += seconds
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_next(worker))

    def leave(self, worker: int) -> None:
        """Let the others go on without this worker."""
        with self._changed:
            self._left.add(worker)
            self._changed.notify_all()

    def _is_next(self, worker: int) -> bool:
        running = [(at, each) for each, at in enumerate(self._at) if each not in self._left]
        return min(running)[1] == worker


class TimedReferee:
    """A referee whose matches among house bots take virtual time."""

    def __init__(self, referee: Any, conductor: Conductor, worker: int, match_s: float) -> None:
        self._referee, self._conductor, self._worker, self._match_s = referee, conductor, worker, match_s
        self.played = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._referee, name)

    def create_all(self, new: Sequence[Any], until: float | None = None) -> Any:
        """Create matches, and let the time pass that they take."""
        self._conductor.advance(self._worker, self._match_s * len(new))
        self.played += len(new)
        return self._referee.create_all(new, until)


class VirtualWorkers:
    """A queue of jobs, and the workers that run them. It is the `RoundJobs` of its rounds."""

    def __init__(self, league: LeagueWorld, workers: int, match_s: float) -> None:
        self._urgent: deque[tuple[str, int]] = deque()
        self._helping: deque[tuple[str, int]] = deque()
        self._conductor = Conductor(workers)
        self.referees = []
        self._rounds = []
        for worker in range(workers):
            process = league.another_process()
            referee = TimedReferee(process.referee, self._conductor, worker, match_s)
            self.referees.append(referee)
            self._rounds.append(
                Rounds(
                    process.ladders,
                    referee,  # type: ignore[arg-type]  # has all of its attributes
                    process.groups,
                    self,  # type: ignore[arg-type]  # has what work on a round calls
                    monotonic=lambda worker=worker: self._conductor.now(worker),
                )
            )
        self._errors: list[BaseException] = []

    def wake_round(self, ladder: str, number: int, epoch: int) -> None:
        """A round that is worked on has a job already."""

    def workers(self) -> int:
        return len(self._rounds)

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        if not self._helping:
            self._helping.extend([(ladder, number)] * helpers)

    def play(self, ladder: str, number: int) -> float:
        """Play a round and return how many seconds that took."""
        self._urgent.append((ladder, number))
        threads = [
            threading.Thread(target=self._run, args=(worker, ladder, number))
            for worker in range(len(self._rounds))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]
        return max(self._conductor.now(worker) for worker in range(len(threads))) - START_S

    def _run(self, worker: int, ladder: str, number: int) -> None:
        rounds = self._rounds[worker]
        try:
            self._conductor.advance(worker, 1e-6 * (1 + worker))
            while rounds.store.rounds_under_way(ladder) and not self._errors:
                if self._urgent:
                    job = self._urgent.popleft()
                    if rounds.work(*job):
                        self._urgent.append(job)
                elif self._helping:
                    job = self._helping.popleft()
                    if rounds.help(*job):
                        self._helping.append(job)
                self._conductor.advance(worker, 0.005)
        except BaseException as error:
            self._errors.append(error)
        finally:
            self._conductor.leave(worker)
