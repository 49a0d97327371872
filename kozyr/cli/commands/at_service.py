"""Options, exit statuses and error messages of the commands that call a service over HTTP."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from bots.client import KozyrError

REFUSED: Final = 1
"""Exit status: the service refused the request."""
AWAY: Final = 2
"""Exit status: the service does not answer, or the command line or the settings are wrong."""
INTERRUPTED: Final = 130
"""Exit status after Ctrl-C."""
PATIENCE_S: Final = 20.0
"""How long requests to a busy or absent service are retried, in seconds."""


def at_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--url` and `--token` to a command and pass it a `LadderClient`. Print errors in one line and exit."""

    @click.option(
        "--url",
        envvar="KOZYR_URL",
        metavar="URL",
        help="Address of the service.  [default: KOZYR_URL, else the address in the settings]",
    )
    @click.option(
        "--token", envvar="KOZYR_TOKEN", metavar="TOKEN", help="Token of an owner.  [default: KOZYR_TOKEN]"
    )
    @functools.wraps(command)
    def run(*args: Any, url: str | None, token: str | None, **kwargs: Any) -> None:
        from bots.client import Client, KozyrError
        from kozyr.cli.ladders.desk import LadderClient
        from kozyr.config.settings import SettingError, load

        try:
            at = url or load().url
            with Client(at, token, patience_s=PATIENCE_S, fail_fast=True) as client:
                command(LadderClient(client), *args, **kwargs)
        except KozyrError as why:
            click.echo(f"kozyr: {f'{at}: ' if why.status is None else ''}{told(why)}", err=True)
            sys.exit(AWAY if why.status is None or why.status >= 500 else REFUSED)
        except SettingError as why:
            click.echo(f"kozyr: {why}", err=True)
            sys.exit(AWAY)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    return run


def told(why: KozyrError) -> str:
    """Return a refusal in one line: the detail or the invalid fields, and the problem code."""
    from kozyr.terminal import harmless

    errors = why.problem.get("errors")
    if isinstance(errors, dict) and errors:
        said = "; ".join(f"{field}: {' '.join(map(str, reasons))}" for field, reasons in errors.items())
    else:
        said = why.problem.get("detail") or why.problem.get("title") or "no details"
    return harmless(f"{said} ({why.code})")
