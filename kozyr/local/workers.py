"""The processes that play a plan's matches. They share nothing: each receives a match number and returns a record.

Results arrive in the order of the requests, so they are the same for any number of processes. Only the parent handles
Ctrl-C and SIGHUP; a worker ends when its parent does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Final

from bots.house import HOUSE_BOTS
from kozyr.local.bots import Interruption, LocalBot, chair
from kozyr.local.command import Command
from kozyr.local.match import LocalResult, WorkerDied, play
from kozyr.local.plan import Fixture, LocalPlan

AHEAD: Final = 2
"""How many matches are queued at a worker, so that it need not wait for the next one."""
HELD: Final = 1000
"""How many results are held back at most while an earlier one is missing."""
LOOK_S: Final = 0.2
"""How often `stop` is called, in seconds."""
LEAVING_S: Final = 5.0
"""How long a worker may take to end, in seconds."""


class Workers:
    """A pool of `jobs` processes, as a context manager."""

    def __init__(self, plan: LocalPlan, bots: Sequence[LocalBot], jobs: int, logs: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._assigned: dict[Connection, deque[int]] = {}
        self._done: dict[int, LocalResult] = {}
        self._has_classes = any(bot.kind == "class" for bot in bots)
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, plan, list(bots), logs), daemon=True)
            process.start()
            theirs.close()
            self._processes[ours], self._assigned[ours] = process, deque()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *why: object) -> None:
        for connection, process in self._processes.items():
            if any(self._assigned.values()) and process.is_alive():
                process.terminate()
            connection.close()
        for process in self._processes.values():
            process.join(LEAVING_S)
            if process.is_alive():
                process.kill()
                process.join()

    def play(self, fixtures: Iterable[Fixture], stop: Callable[[], bool]) -> Iterator[LocalResult]:
        """Yield these matches in order until `stop` returns true. Raise `WorkerDied`."""
        waiting, asked = (fixture.number for fixture in fixtures), deque[int]()
        self._tell(waiting, asked)
        while asked:
            while asked[0] not in self._done:
                if stop():
                    return
                self._take(wait(list(self._processes), LOOK_S))
                self._tell(waiting, asked)
            yield self._done.pop(asked.popleft())

    def left(self) -> list[LocalResult]:
        """Return finished matches that were held back behind an unfinished one."""
        with contextlib.suppress(WorkerDied):
            while ready := wait(list(self._processes), timeout=0):
                self._take(ready)
        found = [self._done[number] for number in sorted(self._done)]
        self._done.clear()
        return found

    def _tell(self, waiting: Iterator[int], asked: deque[int]) -> None:
        for connection, assigned in self._assigned.items():
            while len(assigned) < AHEAD and len(self._done) < HELD:
                number = next(waiting, None)
                if number is None:
                    return
                assigned.append(number)
                asked.append(number)
                with contextlib.suppress(OSError):  # it has died; reading from it will report that
                    connection.send(number)

    def _take(self, ready: Iterable[object]) -> None:
        for connection in ready:
            assert isinstance(connection, Connection)
            try:
                played = connection.recv()
            except (EOFError, OSError):
                process = self._processes.pop(connection)
                process.join(LEAVING_S)
                assigned = self._assigned.pop(connection)
                playing = f"while it played match {assigned[0]}" if assigned else "outside a match"
                raise WorkerDied(f"a process ended ({process.exitcode}) {playing}: {self._advice}") from None
            self._done[self._assigned[connection].popleft()] = played

    @property
    def _advice(self) -> str:
        """What the user can do when a process died. Programs run apart and can't bring it down."""
        if self._has_classes:
            return "a class of yours may have brought it down; give the bot as a program to keep it apart"
        return "it failed, or something killed it, such as a lack of memory; fewer --jobs need less"


def _work(connection: Connection, plan: LocalPlan, bots: list[LocalBot], logs: Path) -> None:
    """Play matches in a worker process until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    sys.unraisablehook = _unraisable
    with contextlib.suppress(OSError):  # there may be no standard error
        os.dup2(2, 1)  # the parent alone writes results; native code of a class may write here
    chairs = {one.seat.id: found for one in bots if (found := chair(one, logs)) is not None}
    try:
        while True:
            number = connection.recv()
            connection.send(play(plan, plan.fixture(number), HOUSE_BOTS, chairs))
    except (EOFError, BrokenPipeError, ConnectionResetError, _Leave):
        pass
    finally:
        for found in chairs.values():
            if isinstance(found, Command):
                found.close()


class _Leave(Interruption, SystemExit):
    """The parent ends this process. Wherever that happens, `SystemExit` prints no traceback."""


def _leave(signum: int, frame: FrameType | None) -> None:
    raise _Leave


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Print an exception of a destructor as Python does, but no `_Leave`: this process ends when its pipe closes."""
    if not isinstance(lost.exc_value, _Leave):
        sys.__unraisablehook__(lost)
