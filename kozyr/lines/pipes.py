"""The pipes to and from a program, with timeouts. Threads read and write, because Windows can't poll pipes."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import Final

_CHUNK: Final = 65536
_MOST_CHUNKS: Final = 8
"""How much of what a program has written is kept. A program that writes on must wait, as with any full pipe."""


class Pipes:
    """The standard input and output of a program."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout
        self._questions: Queue[bytes | None] = Queue()
        self._answers: Queue[bytes] = Queue(_MOST_CHUNKS)
        for target in (self._write, self._read):
            threading.Thread(target=target, daemon=True).start()

    def send(self, data: bytes) -> None:
        """Send data. A program that has closed its input gets none."""
        self._questions.put(data)

    def receive(self, until: float) -> bytes:
        """Return what the program has written, nothing after its end. Raise `TimeoutError` at a monotonic instant."""
        left = min(until - time.monotonic(), threading.TIMEOUT_MAX)
        try:
            found = self._answers.get(left > 0, max(0.0, left))
        except Empty:
            raise TimeoutError from None
        if not found:
            self._answers.put(found)  # the end stays
        return found

    def close_input(self) -> None:
        """Let the program read the end of its input."""
        self._questions.put(None)

    def close(self) -> None:
        """Drop what nobody has read. The program must have ended. A call of `receive` that waits returns nothing."""
        with suppress(Empty):
            while True:
                self._answers.get_nowait()
        with suppress(Full):
            self._answers.put_nowait(b"")

    def _write(self) -> None:
        with suppress(OSError), self._to:
            while (data := self._questions.get()) is not None:
                while data:
                    data = data[self._to.write(data) or 0 :]

    def _read(self) -> None:
        with self._from:
            found = b"?"
            while found:
                try:
                    found = os.read(self._from.fileno(), _CHUNK)
                except OSError:
                    found = b""
                self._answers.put(found)
