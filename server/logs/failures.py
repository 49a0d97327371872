"""Exceptions in the logs.

The text of an exception may contain a hand, a deck or a secret. So the log has its type and traceback, and its text
only for errors of the operating system and of Redis.

gunicorn's master imports this module before gevent patches anything, so it must not import redis-py.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType

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
    return isinstance(error, OSError) or any(
        kind.__module__ == "redis.exceptions" for kind in type(error).__mro__
    )


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
