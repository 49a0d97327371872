"""What commands share that ask a service over HTTP as anybody may: where it is, who asks, and how a refusal is told."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from bots.client import KozyrError

REFUSED: Final = 1
"""The exit status when the service refused."""
AWAY: Final = 2
"""The exit status when the service does not answer, and for a command line or settings that are wrong."""
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""
PATIENCE_S: Final = 20.0
"""For how long a service that goes away, or is busy, is asked again."""


def at_service(command: Callable[..., None]) -> Callable[..., None]:
    """A command with `--url` and `--token`, which is handed a `LadderClient`; what goes wrong is a line and the exit
    status."""

    @click.option(
        "--url",
        envvar="KOZYR_URL",
        metavar="URL",
        help="The service.  [default: KOZYR_URL, else that of the settings]",
    )
    @click.option(
        "--token", envvar="KOZYR_TOKEN", metavar="TOKEN", help="An owner's.  [default: KOZYR_TOKEN]"
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
    """A refusal in one line: what is wrong, each field with its reason, and the code to look it up by."""
    from kozyr.cli.terminal import harmless

    errors = why.problem.get("errors")
    if isinstance(errors, dict) and errors:
        said = "; ".join(f"{field}: {' '.join(map(str, reasons))}" for field, reasons in errors.items())
    else:
        said = why.problem.get("detail") or why.problem.get("title") or "no details"
    return harmless(f"{said} ({why.code})")
