"""Logs of all processes and libraries: one JSON object per line on standard error."""

from __future__ import annotations

import logging
import sys

import structlog

from server.logs.failures import log_uncaught, where
from server.logs.outages import OutageFilter
from server.logs.recent import LOGGED
from server.logs.redaction import Redaction
from server.logs.stream import LogStream


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
