"""`kozyr pause`, `resume`, `drain` and `announce`: the service state. They need Redis, but no running process."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

import click

from kozyr.cli.errors import REFUSED
from kozyr.cli.output import show
from server.commands.shared import by, container, intervention, prints_result, reason

if TYPE_CHECKING:
    from server.container import Container

LOOK_EVERY_S: Final = 1.0
QUIET_LOOKS: Final = 2
"""How many consecutive looks must find no match. A match requested before the drain may be created just after it."""


@click.command()
@intervention
def pause(reason: str) -> None:
    """Pause the service: stop all clocks.

    No new matches or rounds start. Moves are still accepted and cost no time. The pause survives restarts.
    """
    _set("paused", reason)


@click.command()
@intervention
def resume(reason: str) -> None:
    """Resume after a pause or a drain.

    Running clocks are credited with the time of the pause.
    """
    _set("running", reason)


@click.command()
@reason
@click.option("--wait", is_flag=True, help="Wait until no match is running or waiting for its bots.")
@click.option(
    "--within",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Wait at most this long, then exit with status 1. Needs --wait.",
)
@prints_result
def drain(reason: str, wait: bool, within: float | None) -> None:
    """Let running matches end and start no new ones."""
    if within is not None and not wait:
        raise click.UsageError("--within needs --wait")
    running = _set("draining", reason)
    if wait and not _quiet(running, within):
        sys.exit(REFUSED)


@click.command()
@click.argument("text", default="")
@prints_result
def announce(text: str) -> None:
    """Show TEXT on every page of the site.

    Without TEXT, remove what is shown.
    """
    container().administration.announce(by(), text)
    show({"announcement": text}, "every page shows the text" if text else "no text is shown")


def _set(state: str, reason: str) -> Container:
    from referee.service.state import ServiceState

    running = container()
    standing = running.administration.set_service(by(), ServiceState(state), reason)
    document = {"state": standing.state.value, "reason": standing.reason}
    show(document, f"the service is {standing.state}")
    return running


def _quiet(running: Container, within: float | None) -> bool:
    """Report unfinished matches until there are none. Return false if the time is up first."""
    until = None if within is None else time.monotonic() + within
    shown, quiet = "", 0
    while True:
        counts = running.index.unfinished()
        left = {name: counts.get(name, 0) for name in ("running", "waiting")}
        line = f"matches: {left['running']} running, {left['waiting']} waiting for their bots"
        if line != shown:
            show(left, line)
            shown = line
        quiet = 0 if any(left.values()) else quiet + 1
        if quiet >= QUIET_LOOKS:
            return True
        if until is not None and time.monotonic() >= until:
            return False
        time.sleep(LOOK_EVERY_S)
