"""Exit statuses and error messages of all commands: one sentence on standard error (docs/cli.md)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NoReturn

import click

from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr_client import KozyrError

REFUSED: Final = 1
"""Exit status: the answer is no. The service refused the request, a bot failed, or a record is wrong."""
AWAY: Final = 2
"""Exit status: there is no answer. The service is away, or the command line, a setting or a file is wrong."""
INTERRUPTED: Final = 130
"""Exit status after Ctrl-C."""
PATIENCE_S: Final = 20.0
"""How long requests to a busy or absent service are retried, in seconds."""


class CommandError(click.ClickException):
    """A command can't be carried out. The text is a sentence that says what to do."""


class one_sentence:  # noqa: N801 -- reads as a statement
    """A context manager that turns errors into one sentence on standard error and an exit status.

    It yields a list, whose last entry names the address for the message. Warnings of the client are printed too.
    """

    def __enter__(self) -> list[str]:
        show_warnings()
        self._at: list[str] = []
        return self._at

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, trace: object) -> None:
        from kozyr_client import KozyrError

        if isinstance(why, KozyrError):
            fail(explained(why, self._at[-1] if self._at else ""), status_of(why))
        if isinstance(why, KeyboardInterrupt):
            sys.exit(INTERRUPTED)


def show_warnings() -> None:
    """Print warnings, such as that the client retries a request, for which no other handler is set up."""
    import logging

    class EchoHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            echo(f"kozyr: {record.getMessage()}", err=True)

    logging.lastResort = EchoHandler(logging.WARNING)


def fail(sentence: str, status: int) -> NoReturn:
    """Print an error and end the command."""
    echo(f"kozyr: {sentence}", err=True)
    sys.exit(status)


def status_of(why: KozyrError) -> int:
    """Return the exit status for an error: 1 for a refusal, 2 if there was no answer from a service."""
    no_answer = why.status is None or why.status >= 500 or why.code.startswith(("http_", "response_refused"))
    return AWAY if no_answer else REFUSED


def may_come_back(why: KozyrError) -> bool:
    """Return whether the same request may succeed later: the service was away, or refused for now."""
    return (
        why.status is None
        or why.status in (408, 429)
        or bool(why.problem.get("retryable", why.status >= 500))
    )


def status_after(number: int) -> int:
    """Return the exit status for the signal that ended a command: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + number


def explained(why: KozyrError, at: str) -> str:
    """Return an error in one sentence that says what to do."""
    if why.status is None:
        reason = message_of(why)
        return f"no service answers at {at} ({reason}): check the address, or start a service with `kozyr up`"
    if why.status == 404 and at.rstrip("/").endswith("/v1"):
        return f"{at} answers 404: leave out /v1 at the end of the address"
    if why.code.startswith("http_"):
        return f"{at} is no Kozyr service (it answers {why.status} in another form): check the address"
    if why.code == "response_refused":
        return f"{at} is no Kozyr service ({message_of(why)}): check the address"
    if why.code in ("token_invalid", "token_missing"):
        return f"{message_of(why)}: log in again with `kozyr login {at}`, or check KOZYR_TOKEN"
    return message_of(why)


def message_of(why: KozyrError) -> str:
    """Return a refusal in one line: the detail or the invalid fields, and the problem code."""
    from kozyr.terminal import harmless

    errors = why.problem.get("errors")
    if isinstance(errors, dict) and errors:
        detail = "; ".join(f"{field}: {' '.join(map(str, reasons))}" for field, reasons in errors.items())
    else:
        detail = why.problem.get("detail") or why.problem.get("title") or "no details"
    if why.problem.get("reason") == "busy":
        detail += f"; its owner raises it with `kozyr bot set {why.problem.get('bot')} --max-matches N`"
    return harmless(f"{detail} ({why.code})")
