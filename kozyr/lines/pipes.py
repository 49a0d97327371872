"""The pipes to and from a program, with timeouts. Windows can't poll pipes, so there threads read and write."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from queue import Empty, Queue
from typing import IO, Final, Protocol

LONGEST_POLL_MS: Final = 2**31 - 1
"""The longest timeout that `poll` accepts, in ms: 24.8 days."""
_CHUNK: Final = 65536


class Pipes(Protocol):
    """The standard input and output of a program. Instants are monotonic."""

    def send(self, data: bytes, until: float) -> None:
        """Send data. Raise `TimeoutError`; a later call of `send` or `receive` goes on. Raise `OSError` if the program
        has closed its input."""

    def receive(self, until: float) -> bytes:
        """Return what the program has written, nothing after its end. Raise `TimeoutError`."""

    def close_input(self) -> None:
        """Let the program read the end of its input."""

    def close(self) -> None:
        """Close the pipes. The program must have ended."""


def pipes_of(process: subprocess.Popen[bytes]) -> Pipes:
    """Return the pipes of a process."""
    assert process.stdin is not None
    assert process.stdout is not None
    kind = _PolledPipes if hasattr(select, "poll") else _ThreadedPipes
    return kind(process.stdin, process.stdout)


class _PolledPipes:
    def __init__(self, to: IO[bytes], source: IO[bytes]) -> None:
        self._to, self._from = to, source
        for pipe in (to, source):
            os.set_blocking(pipe.fileno(), False)
        self._unsent = b""

    def send(self, data: bytes, until: float) -> None:
        self._unsent += data
        while self._unsent:
            self._wait(self._to, select.POLLOUT, until)
            self._unsent = self._unsent[self._to.write(self._unsent) or 0 :]

    def receive(self, until: float) -> bytes:
        self.send(b"", until)
        self._wait(self._from, select.POLLIN, until)
        return self._from.read(_CHUNK) or b""

    def close_input(self) -> None:
        with contextlib.suppress(OSError):
            self._to.close()

    def close(self) -> None:
        self._from.close()

    @staticmethod
    def _wait(pipe: IO[bytes], event: int, until: float) -> None:
        """Wait until the pipe can be read or written. `select` takes no descriptor over 1023."""
        poll = select.poll()
        poll.register(pipe, event)
        while not poll.poll(min(max(0.0, 1000 * (until - time.monotonic())), LONGEST_POLL_MS)):
            if time.monotonic() >= until:
                raise TimeoutError


class _ThreadedPipes:
    def __init__(self, to: IO[bytes], source: IO[bytes]) -> None:
        self._to, self._from = to, source
        self._questions: Queue[bytes | None] = Queue()
        self._answers: Queue[bytes] = Queue()
        for target in (self._write, self._read):
            threading.Thread(target=target, daemon=True).start()

    def send(self, data: bytes, until: float) -> None:
        self._questions.put(data)

    def receive(self, until: float) -> bytes:
        try:
            found = self._answers.get(timeout=max(0.0, min(until - time.monotonic(), threading.TIMEOUT_MAX)))
        except Empty:
            raise TimeoutError from None
        if not found:
            self._answers.put(found)  # the end stays
        return found

    def close_input(self) -> None:
        self._questions.put(None)

    def close(self) -> None:
        self.close_input()

    def _write(self) -> None:
        with contextlib.suppress(OSError), self._to:
            while (data := self._questions.get()) is not None:
                self._to.write(data)

    def _read(self) -> None:
        with self._from:
            found = b"?"
            while found:
                try:
                    found = os.read(self._from.fileno(), _CHUNK)
                except OSError:
                    found = b""
                self._answers.put(found)
