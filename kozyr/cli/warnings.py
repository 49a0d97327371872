"""Warnings of the client, such as that it retries a request, as messages of a command."""

from __future__ import annotations

import logging

from kozyr.terminal import echo


class EchoHandler(logging.Handler):
    """Prints log messages on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        echo(f"kozyr: {record.getMessage()}", err=True)


def show_warnings() -> None:
    """Print warnings for which no other handler is set up."""
    logging.lastResort = EchoHandler(logging.WARNING)
