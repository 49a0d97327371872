"""A program of the bridge: started when needed, asked one turn at a time, killed and started again after a failure."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from kozyr.lines.program import LEAVING_S, Program, ProgramFailed

TAIL: Final = 10
"""How many of the last lines of standard error are shown after a failure."""
LONGEST_LINE: Final = 500
"""How much of a line of standard error is kept, in characters."""
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
TOKENS: Final = ("KOZYR_TOKEN", "KOZYR_OWNER_TOKEN", "KOZYR_ADMIN_TOKEN")
"""Variables that a program does not see: the bridge has the token, and a program needs none."""


class Player:
    """A program and the events that it has read.

    `ask` may be called concurrently: the turns wait for each other, in the order of the calls.
    """

    def __init__(self, words: Sequence[str], log: Path | None, threads: ThreadPoolExecutor) -> None:
        self._words, self._log, self._threads = list(words), log, threads
        self._lock = asyncio.Lock()
        self._program: Program | None = None
        self._tail = StandardErrorTail()
        self._closed = False
        self.seen: dict[str, int] = {}
        """The number of the last event that the running program has read, by match."""
        self.failures = 0
        """Failures since the last answer."""
        self.answers = 0

    async def ask(self, until: float, line: Callable[[], Awaitable[bytes]]) -> str:
        """Return the program's answer to the line. Start the program first if it does not run.

        `line` is called when it is the turn of this question. Raise `ProgramFailed` if no usable answer comes before
        `until`, a monotonic instant; the program is then killed. A cancelled call leaves the program at work, and the
        next question waits for it.
        """
        await self._lock.acquire()
        try:
            if self._closed:
                raise ProgramFailed("the bridge ends")
            self._start()
            question = await line()
            answer = asyncio.get_running_loop().run_in_executor(self._threads, self._answer, question, until)
        except BaseException:
            self._lock.release()
            raise
        answer.add_done_callback(self._release)
        return await asyncio.shield(answer)

    def pause_s(self) -> float:
        """Return how long to wait before the program is started again, in seconds."""
        return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self.failures, 10)) if self.failures else 0.0

    def start_or_raise(self) -> None:
        """Start the program before its first turn. Raise `ProgramFailed` if it has ended without a turn."""
        if self._lock.locked():
            return
        if self._program is not None and (how := self._program.ended()) is not None:
            self._fail()
            raise ProgramFailed(how)
        self._start()

    def last_words(self) -> list[str]:
        """Return the last lines of standard error of the program that failed last."""
        return self._tail.lines()

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
        self._tail.reset()
        environment = {name: value for name, value in os.environ.items() if name not in TOKENS}
        with self._tail.pipe(self._log) as errors:
            try:
                self._program = Program(self._words, errors, environment)
            except ProgramFailed:
                self.failures += 1
                raise

    def _answer(self, line: bytes, until: float) -> str:
        """Ask the program, in a thread of its own."""
        assert self._program is not None
        try:
            answer = self._program.ask(line, until)
        except ProgramFailed:
            self._fail()
            raise
        self.answers += 1
        self.failures = 0
        return answer

    def _fail(self) -> None:
        self.failures += 1
        self.seen = {}
        program, self._program = self._program, None
        if program is not None:
            program.end(0.0)
            self._tail.finish()

    def _release(self, answer: asyncio.Future[str]) -> None:
        self._lock.release()
        if not answer.cancelled():
            answer.exception()  # a cancelled `ask` does not read it


class StandardErrorTail:
    """The last lines of a program's standard error. All lines also go to a log file, if there is one."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=TAIL)
        self._reader: threading.Thread | None = None

    def reset(self) -> None:
        """Forget the lines of an earlier program."""
        self._lines = deque(maxlen=TAIL)

    def pipe(self, log: Path | None) -> _WriteEnd:
        """Return the end of a pipe for the program to write to, and start to read the other end."""
        reading, writing = os.pipe()
        self._reader = threading.Thread(target=self._read, args=(reading, log, self._lines), daemon=True)
        self._reader.start()
        return _WriteEnd(writing)

    def finish(self, within: float = LEAVING_S) -> None:
        """Wait until everything that a dead program wrote is read."""
        if self._reader is not None:
            self._reader.join(within)

    def lines(self) -> list[str]:
        """Return the last lines, the oldest first."""
        return list(self._lines)

    @staticmethod
    def _read(reading: int, log: Path | None, lines: deque[str]) -> None:
        with os.fdopen(reading, errors="replace") as source:
            while text := source.readline(LONGEST_LINE):
                lines.append("".join(each if each.isprintable() else "?" for each in text.rstrip("\n")))
                if log is not None:
                    with log.open("a") as file:
                        file.write(text)


class _WriteEnd:
    """The write end of a pipe, which this process closes after the program has it."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> int:
        return self._number

    def __exit__(self, *why: object) -> None:
        os.close(self._number)
