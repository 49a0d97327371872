"""The processes that play a plan's matches. They share nothing: each is told a number and answers with a record.

Results come back in the order in which they were asked for, so what is made of them is the same for any number of
processes. Ctrl-C and a terminal's hang-up concern the parent alone; a worker ends when its parent does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Final

from bots.house import HOUSE_BOTS
from kozyr.local.bots import LocalBot, chair
from kozyr.local.command import Command
from kozyr.local.match import LocalResult, play
from kozyr.local.plan import LocalPlan

AHEAD: Final = 2
"""How many matches a worker has been told at a time, so that it need not wait for the next one."""
HELD: Final = 1000
"""How many results are held back at most while an earlier one is not there yet."""
LOOK_S: Final = 0.2
"""How often it is asked whether to stop."""
LEAVING_S: Final = 5.0
"""How long a worker has to end by itself."""


class WorkerDied(Exception):
    """A worker ended in the middle of a match. The text says which match, and how it ended."""


class Workers:
    """So many processes, started at once. Use it as a context: they end with it."""

    def __init__(self, plan: LocalPlan, bots: Sequence[LocalBot], jobs: int, logs: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._told: dict[Connection, deque[int]] = {}
        self._done: dict[int, LocalResult] = {}
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, plan, list(bots), logs), daemon=True)
            process.start()
            theirs.close()
            self._processes[ours], self._told[ours] = process, deque()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *why: object) -> None:
        for connection, process in self._processes.items():
            if any(self._told.values()) and process.is_alive():
                process.terminate()
            connection.close()
        for process in self._processes.values():
            process.join(LEAVING_S)
            if process.is_alive():
                process.kill()
                process.join()

    def play(self, numbers: Iterable[int], stop: Callable[[], bool]) -> Iterator[LocalResult]:
        """The matches of these numbers, in their order, until `stop` says so. Raises `WorkerDied`."""
        waiting, asked = iter(numbers), deque[int]()
        self._tell(waiting, asked)
        while asked:
            while asked[0] not in self._done:
                if stop():
                    return
                self._take(wait(list(self._processes), LOOK_S))
                self._tell(waiting, asked)
            yield self._done.pop(asked.popleft())

    def left(self) -> list[LocalResult]:
        """What is finished and was not given out yet because something before it is not: nothing finished is lost."""
        with contextlib.suppress(WorkerDied):
            while ready := wait(list(self._processes), timeout=0):
                self._take(ready)
        found = [self._done[number] for number in sorted(self._done)]
        self._done.clear()
        return found

    def _tell(self, waiting: Iterator[int], asked: deque[int]) -> None:
        for connection, told in self._told.items():
            while len(told) < AHEAD and len(self._done) < HELD:
                number = next(waiting, None)
                if number is None:
                    return
                told.append(number)
                asked.append(number)
                with contextlib.suppress(OSError):  # it has died; reading from it will tell
                    connection.send(number)

    def _take(self, ready: Iterable[object]) -> None:
        for connection in ready:
            assert isinstance(connection, Connection)
            try:
                played = connection.recv()
            except (EOFError, OSError):
                process = self._processes.pop(connection)
                process.join(LEAVING_S)
                told = self._told.pop(connection)
                raise WorkerDied(
                    f"a process ended ({process.exitcode}) while it played match {told[0] if told else '?'}: a class of"
                    " yours has brought it down; give the bot as a program to keep it apart"
                ) from None
            self._done[self._told[connection].popleft()] = played


def _work(connection: Connection, plan: LocalPlan, bots: list[LocalBot], logs: Path) -> None:
    """One process: matches as their numbers come, until the parent closes the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
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


class _Leave(BaseException):
    """The parent wants this process to end; no bot's `except Exception` catches it."""


def _leave(signum: int, frame: FrameType | None) -> None:
    raise _Leave
