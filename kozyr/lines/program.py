"""A running program that answers turns over its standard input and output.

Each question is a line, and each answer is one line. A program that fails must be killed and started again, because
its next output could belong to an earlier question.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Final

from kozyr import systems
from kozyr.lines.pipes import Pipes

LONGEST_ANSWER: Final = 32_768
"""The longest line that is read as an answer, in bytes. It may hold thoughts."""
LEAVING_S: Final = 1.0
"""How long a program may take to end after its input has ended, in seconds."""


class ProgramFailed(Exception):
    """A program can't be started or gave no usable answer. The text is a sentence that says what to do."""


class AnswerLate(ProgramFailed):
    """No answer came in time. A program that is kept all the same owes it: the next `ask` discards it first."""


_LATE: Final = "no answer in time: print one line for each turn, and flush it"
_TWO_LINES: Final = (
    "it wrote more than one line for one turn: print one line for each turn, and log to standard error"
)


class Program:
    """A running program. Its standard error goes to `errors`, by default to that of this process. Raise
    `ProgramFailed`."""

    def __init__(
        self,
        words: Sequence[str],
        errors: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = systems.start(
                words, stdin=pipe, stdout=pipe, stderr=errors, env=environment, bufsize=0
            )
        except OSError as why:
            raise ProgramFailed(f"it can't be started: {why}; check the command") from why
        self._pipes = Pipes(self._process)
        self._found = b""
        """What has been read of the answer."""
        self._owes = False
        """Whether a question is without an answer."""
        self.has_answered = False
        """Whether the program has written a whole line since its start."""

    def ask(self, line: bytes, until: float) -> str:
        """Send a line and return the answer.

        Raise `AnswerLate` if no answer comes before `until`, a monotonic instant, and `ProgramFailed` for an unusable
        answer.
        """
        if self._owes:
            self._answer(until)
        with contextlib.suppress(TimeoutError):
            raise ProgramFailed(_TWO_LINES if self._pipes.receive(0.0) else self._ended())
        self._owes = True
        self._pipes.send(line)
        return self._answer(until)

    def _answer(self, until: float) -> str:
        """Return the answer to the question. Raise `ProgramFailed`."""
        while b"\n" not in self._found:
            try:
                more = self._pipes.receive(until)
            except TimeoutError:
                raise AnswerLate(_LATE) from None
            if not more:
                raise ProgramFailed(self._ended())
            self._found += more
            if len(self._found) > LONGEST_ANSWER:
                raise ProgramFailed(
                    f"it wrote more than {LONGEST_ANSWER} bytes for one turn: print only the move"
                )
        text, _, rest = self._found.partition(b"\n")
        self._found, self._owes, self.has_answered = b"", False, True
        if rest:
            raise ProgramFailed(_TWO_LINES)
        try:
            return text.decode().strip()
        except UnicodeDecodeError:
            raise ProgramFailed("it wrote bytes that are not UTF-8: print the move as plain text") from None

    def end(self, within: float) -> None:
        """Let the program end by itself within these seconds, then kill it and its children."""
        self._pipes.close_input()
        self._has_ended(within)
        self.kill()
        self._process.wait()
        self._pipes.close()

    def ended(self) -> str | None:
        """Return how the program ended, or `None` while it runs."""
        return None if self._has_ended(0.0) is None else self._ended()

    def kill(self) -> None:
        """Kill the program and its children. A question that waits fails. `end` must follow."""
        systems.kill(self._process)

    def _ended(self) -> str:
        status = self._has_ended(LEAVING_S)
        if status is None:
            return "it closed its standard output: keep it open, and answer until the input ends"
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            return f"it was killed by {name}: see its standard error, and the limits of memory"
        return f"it ended with status {status}: read turns until the input ends, and see its standard error"

    def _has_ended(self, within: float) -> int | None:
        """Return the exit status, or minus the signal number, if the program ends within these seconds."""
        until = time.monotonic() + within
        while (found := systems.status(self._process)) is None and time.monotonic() < until:
            time.sleep(0.005)
        return found
