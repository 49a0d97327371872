"""A running program that answers turns over its standard input and output.

Each question is a line, and each answer is one line. A program that fails must be killed and started again, because
its next output could belong to an earlier question.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Final

LONGEST_ANSWER: Final = 4096
"""The longest line that is read as a move, in bytes."""
LEAVING_S: Final = 1.0
"""How long a program may take to end after its input has ended, in seconds."""

LONGEST_POLL_MS: Final = 2**31 - 1
"""The longest timeout that `poll` accepts, in ms: 24.8 days."""


class ProgramFailed(Exception):
    """A program can't be started or gave no usable answer. The text is a sentence that says what to do."""


class AnswerLate(ProgramFailed):
    """No answer came in time. A program that is kept all the same owes it: the next `ask` discards it first."""


_TWO_LINES: Final = (
    "it wrote more than one line for one turn: print one line for each turn, and log to standard error"
)


class Program:
    """A running program. Its standard error goes to `errors`, an open file or its number. Raise `ProgramFailed`."""

    def __init__(
        self,
        words: Sequence[str],
        errors: IO[bytes] | int,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as why:
            raise ProgramFailed(f"it can't be started: {why}; check the command") from why
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        for pipe in (self._to, self._from):
            os.set_blocking(pipe.fileno(), False)
        self._unsent = b""
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
            self._exchange(until)
        if _is_ready(self._from, select.POLLIN, 0.0):
            raise ProgramFailed(_TWO_LINES if self._read() else self._ended())
        self._unsent, self._owes = line, True
        return self._exchange(until)

    def _exchange(self, until: float) -> str:
        """Send the rest of the question, and return the answer to it. Raise `ProgramFailed`."""
        self._write(until)
        while b"\n" not in self._found:
            self._wait(self._from, select.POLLIN, until)
            more = self._read()
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
        with contextlib.suppress(OSError):
            self._to.close()
        self._has_ended(within)
        self.kill()
        self._process.wait()
        self._from.close()

    def ended(self) -> str | None:
        """Return how the program ended, or `None` while it runs."""
        return None if self._has_ended(0.0) is None else self._ended()

    def kill(self) -> None:
        """Kill the program and its children. A question that waits fails. `end` must follow."""
        # Until the process is reaped, its id can't be reused.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _write(self, until: float) -> None:
        while self._unsent:
            self._wait(self._to, select.POLLOUT, until)
            try:
                self._unsent = self._unsent[self._to.write(self._unsent) or 0 :]
            except OSError:
                raise ProgramFailed(self._ended()) from None

    def _read(self) -> bytes:
        return self._from.read(65536) or b""

    @staticmethod
    def _wait(pipe: IO[bytes], event: int, until: float) -> None:
        while not _is_ready(pipe, event, max(0.0, until - time.monotonic())):
            if time.monotonic() >= until:
                raise AnswerLate("no answer in time: print one line for each turn, and flush it")

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
        while True:
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is not None:
                return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
            if time.monotonic() >= until:
                return None
            time.sleep(0.005)


def _is_ready(pipe: IO[bytes], event: int, within: float) -> bool:
    """Return whether the pipe can be read or written within these seconds, or within `LONGEST_POLL_MS`.

    `select` takes no descriptor over 1023.
    """
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(min(1000 * within, LONGEST_POLL_MS)))
