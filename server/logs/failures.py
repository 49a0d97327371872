"""Exceptions in the logs, and warnings about a Redis that is away: each once a minute instead of with each attempt.

The text of an exception may contain a hand, a deck or a secret. So the log has its type and traceback, and its text
only for errors of the operating system and of Redis.

gunicorn's master imports this module before gevent patches anything, so it must not import redis-py.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Final

AGAIN_S: Final = 60.0
"""After how many seconds a warning is logged again."""
_OF_QUEUE: Final = "rq"
"""The logger of RQ, whose warnings are all of this kind."""

log = logging.getLogger(__name__)

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def where(exc_info: ExcInfo) -> str:
    """Return the types and places of an exception and its causes, without anything about the match."""
    lines: list[str] = []
    error: BaseException | None = exc_info[1]
    while error is not None:
        name = f"{type(error).__module__}.{type(error).__qualname__}"
        lines.append(f"{name}: {error}" if _is_of_the_machine(error) else name)
        lines += [
            f"  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        hidden = error.__suppress_context__
        error = error.__cause__ or (None if hidden else error.__context__)
    return "\n".join(lines)


def log_uncaught() -> None:
    """Log exceptions that end the process or a thread."""
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def _is_of_the_machine(error: BaseException) -> bool:
    return isinstance(error, OSError) or _is_redis_error(error)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        log.critical("the process ends", exc_info=(kind, error, trace))


def _uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        log.critical(
            "a thread ends", exc_info=(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
        )


class OutageFilter(logging.Filter):
    """Lets the same warning about Redis pass once in `AGAIN_S` seconds. Errors pass, and everything else."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic, self._lock = monotonic, threading.Lock()
        self._seen: dict[object, tuple[float, int]] = {}
        """By message: when it is logged again, and how often it was not."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record. Note in it how many were not."""
        if record.levelno != logging.WARNING or not _is_of_redis(record):
            return True
        with self._lock:
            now = self._monotonic()
            again_at, hidden = self._seen.get(record.msg, (now, 0))
            if now < again_at:
                self._seen[record.msg] = again_at, hidden + 1
                return False
            self._seen[record.msg] = now + AGAIN_S, 0
        if hidden:
            record.msg = f"{record.msg} ({hidden} such warnings were left out since the last one)"
        return True


def _is_of_redis(record: logging.LogRecord) -> bool:
    args = record.args if isinstance(record.args, tuple) else ()
    return record.name.partition(".")[0] == _OF_QUEUE or any(map(_is_redis_error, args))


def _is_redis_error(value: object) -> bool:
    return any(kind.__module__ == "redis.exceptions" for kind in type(value).__mro__)
