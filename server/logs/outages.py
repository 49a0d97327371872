"""Warnings about a Redis that is away, each once a minute instead of with each attempt."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

AGAIN_S: Final = 60.0
"""After how many seconds a warning is logged again."""
_OF_QUEUE: Final = "rq"
"""The logger of RQ, whose warnings are all of this kind."""


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
    # gunicorn's master imports this module before gevent patches anything, so it must not import redis-py.
    return any(kind.__module__ == "redis.exceptions" for kind in type(value).__mro__)
