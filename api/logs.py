"""The log: one JSON object a line, on the standard output. No tokens, bodies or states ever go into it."""

from __future__ import annotations

import logging
import sys
from typing import Any

import orjson
import structlog


def configure(level: str = "info") -> None:
    """Have structlog write lines of JSON, from this level (`debug`, `info`, `warning`, `error`) on."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(_text),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stdout),
        cache_logger_on_first_use=True,
    )


def _text(said: Any, **_: Any) -> str:
    return orjson.dumps(said, default=str).decode()
