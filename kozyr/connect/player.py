"""A program of the bridge: started when needed, asked one turn at a time, killed and started again after a failure. It
has the standard error of the bridge."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from kozyr.lines.program import LEAVING_S, AnswerLate, Program, ProgramFailed

Clock = Callable[[], float]
STARTING_S: Final = 10.0
"""How long a program may take from its start to its first answer, in seconds. It is not killed before."""

KILLING_S: Final = 0.1
"""How long a turn waits for the end of a program that is killed, in seconds, to report it."""
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
TOKENS: Final = ("KOZYR_TOKEN", "KOZYR_OWNER_TOKEN", "KOZYR_ADMIN_TOKEN")
"""Variables that a program does not see: the bridge has the token, and a program needs none."""


class NoTimeLeft(Exception):
    """The time of a turn ended before the program could answer, and the program is not to blame."""


class ConnectedProgram:
    """A program and the events that it has read.

    `ask` may be called concurrently: the turns wait for each other, in the order of the calls.
    """

    def __init__(
        self,
        words: Sequence[str],
        threads: ThreadPoolExecutor,
        *,
        starting_s: float = STARTING_S,
        clock: Clock = time.monotonic,
    ) -> None:
        self._words, self._threads = list(words), threads
        self._starting_s, self._clock = starting_s, clock
        self._lock = asyncio.Lock()
        self._program: Program | None = None
        self._closed = False
        self.seen: dict[str, int] = {}
        """The number of the last event that the running program has read, by match."""
        self._started = self._retry_at = clock()
        self.failures = 0
        """Failures since the last answer."""

    async def ask(self, until: float, line: Callable[[], Awaitable[bytes]]) -> str:
        """Return the program's answer to the line. Start the program first if it does not run.

        `line` is called when it is the turn of this question. Raise `ProgramFailed` if no usable answer comes before
        `until`, a monotonic instant; the program is then killed. Raise `NoTimeLeft` if the time ends while the program
        works on other turns, or while it starts: it then goes on. A call that was cancelled, or whose time ended,
        leaves the program at work, and the next question waits for it.
        """
        try:
            async with asyncio.timeout_at(until):
                await self._lock.acquire()
        except TimeoutError:
            raise self._no_time_left() from None
        try:
            if self._closed:
                raise ProgramFailed("the bridge ends")
            if self._clock() >= until:
                raise self._no_time_left()
            self._start()
            question = await line()
            answer = asyncio.get_running_loop().run_in_executor(self._threads, self._answer, question, until)
        except BaseException:
            self._lock.release()
            raise
        answer.add_done_callback(self._release)
        try:
            async with asyncio.timeout_at(until + KILLING_S):
                return await asyncio.shield(answer)
        except TimeoutError:
            raise self._no_time_left() from None

    def pause_s(self) -> float:
        """Return how long to wait before the program is started again, in seconds; 0 if it runs."""
        return 0.0 if self._program is not None else max(0.0, self._retry_at - self._clock())

    def start_or_raise(self) -> None:
        """Start the program before its first turn, unless it has to wait for that. Raise `ProgramFailed` if it has
        ended without a turn."""
        if self._lock.locked() or self.pause_s():
            return
        if self._program is not None and (how := self._program.ended()) is not None:
            self._fail()
            raise ProgramFailed(how)
        self._start()

    async def close(self) -> None:
        """End the program: by the end of its input, or at once if it works on a turn."""
        self._closed = True
        if self._lock.locked() and self._program is not None:
            self._program.kill()
        async with self._lock:
            program, self._program = self._program, None
            if program is not None:
                await asyncio.to_thread(program.end, LEAVING_S)

    def _start(self) -> None:
        if self._program is not None:
            return
        environment = {name: value for name, value in os.environ.items() if name not in TOKENS}
        try:
            self._program = Program(self._words, environment=environment)
        except ProgramFailed:
            self._fail()
            raise
        self._started = self._clock()

    def _answer(self, line: bytes, until: float) -> str:
        """Ask the program, in a thread of its own."""
        assert self._program is not None
        try:
            answer = self._program.ask(line, until)
        except ProgramFailed as why:
            if isinstance(why, AnswerLate) and self._is_starting():
                raise self._no_time_left() from None
            self._fail()
            raise
        self.failures = 0
        return answer

    def _is_starting(self) -> bool:
        """Return whether the program has not answered since its start, and may still take time for that."""
        program = self._program
        fresh = program is not None and not program.has_answered
        return fresh and self._clock() < self._started + self._starting_s

    def _no_time_left(self) -> NoTimeLeft:
        if self._is_starting():
            return NoTimeLeft(
                f"the program is still starting; it may take {self._starting_s:g} s (--starting SECONDS)"
            )
        return NoTimeLeft(
            "the program was busy with other turns: use --per-match, or lower its bot's max_matches"
        )

    def _fail(self) -> None:
        self.failures += 1
        self._retry_at = self._clock() + min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self.failures, 10))
        self.seen = {}
        program, self._program = self._program, None
        if program is not None:
            program.end(0.0)

    def _release(self, answer: asyncio.Future[str]) -> None:
        self._lock.release()
        if not answer.cancelled():
            answer.exception()  # a cancelled `ask` does not read it
