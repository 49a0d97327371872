"""Logs of all processes and libraries: one JSON object per line on standard error.

gunicorn's master imports this module before gevent patches anything, so it must not import redis-py.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import structlog

from server.logs.failures import OutageFilter, log_uncaught, where
from server.logs.redaction import Redaction
from server.logs.stream import LogStream

MOST_HELD: Final = 100
_LEVELS: Final = frozenset({"error", "critical"})


class LoggedErrors:
    """A structlog processor that notes errors. Place it behind the one that hides secrets. Safe to share between
    greenlets and threads."""

    def __init__(self) -> None:
        self._held: deque[tuple[str, str]] = deque(maxlen=MOST_HELD)

    def __call__(self, logger: Any, method: str, line: Mapping[str, Any]) -> Mapping[str, Any]:
        if line.get("level") in _LEVELS:
            trace = str(line.get("exception") or line.get("request_id") or "").strip().splitlines()
            where = " … ".join(dict.fromkeys(each.strip() for each in trace[:1] + trace[-1:]))
            self._held.append((str(line.get("event", "")), where))
        return line

    def send(self, add: Callable[[Sequence[tuple[str, str]]], object]) -> None:
        """Pass the errors since the last call to `add`: what happened, and where. Keep them if it raises."""
        found = [self._held.popleft() for _ in range(len(self._held))]
        if not found:
            return
        try:
            add(found)
        except BaseException:
            self._held.extendleft(reversed(found))
            raise


LOGGED: Final = LoggedErrors()
"""The errors of this process."""


def configure(level: str, *secrets: str | None) -> None:
    """Log everything of `level` or above (`debug`, `info`, `warning`, `error`). Hide `secrets` and what looks like
    one (`server.logs.redaction`)."""
    redaction = Redaction(*secrets)
    stream = LogStream(sys.stderr)
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.ExceptionRenderer(where),
    ]
    structlog.configure(
        processors=[*shared, redaction, LOGGED, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(stream),  # type: ignore[arg-type]  # it writes and flushes
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    handler.addFilter(OutageFilter())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                redaction,
                LOGGED,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(number)
    log_uncaught()
