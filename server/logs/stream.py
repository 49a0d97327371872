"""A stream for log lines that never fails or delays the request that writes them.

A line is dropped and counted if the disk is full or nobody reads the pipe. The next line that can be written follows a
line with the number of dropped ones.
"""

from __future__ import annotations

import io
import json
import os
import select
import stat
import threading
from datetime import UTC, datetime
from typing import Final, TextIO

# The operating system's function: gevent's would let other greenlets run in the middle of a line. gunicorn's master
# imports this module before it patches anything.
_poll: Final = select.poll
_PIECE: Final = select.PIPE_BUF
"""Bytes that a writable pipe takes without waiting."""


class LogStream:
    """A stream for lines, each given in one `write`. `write` and `flush` never raise and never wait."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._torn = False
        self.dropped = 0
        """Lines dropped since the last line that was written."""
        try:
            self._file: int | None = out.fileno()
            self._may_wait = not stat.S_ISREG(os.fstat(self._file).st_mode)
        except (OSError, io.UnsupportedOperation):
            self._file = None  # a stream in memory

    def write(self, text: str) -> int:
        """Write a line, or drop and count it."""
        with self._lock:
            if not (self.dropped == 0 or self._put(_missing(self.dropped))):
                self.dropped += 1
            elif self._put(text):
                self.dropped = 0
            else:
                self.dropped = 1
        return len(text)

    def flush(self) -> None:
        """Do nothing: lines are not buffered."""

    def _put(self, line: str) -> bool:
        """Write a line. Return whether it was written completely. A newline ends a torn line before the next one."""
        if self._file is None:
            self._out.write(line)
            return True
        rest = memoryview(("\n" * self._torn + line).encode(errors="backslashreplace"))
        whole = len(rest)
        try:
            while rest and self._is_ready(self._file):
                rest = rest[os.write(self._file, rest[:_PIECE] if self._may_wait else rest) :]
        except OSError:
            pass  # the disk is full, or the reader has gone: what is left is dropped
        if len(rest) < whole:
            self._torn = len(rest) > 0
        return not rest

    def _is_ready(self, file: int) -> bool:
        if not self._may_wait:
            return True
        looking = _poll()
        looking.register(file, select.POLLOUT)
        return bool(looking.poll(0))


def _missing(count: int) -> str:
    now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    line = {
        "event": "log lines were dropped: they could not be written",
        "dropped": count,
        "level": "warning",
        "timestamp": now,
    }
    return json.dumps(line) + "\n"
