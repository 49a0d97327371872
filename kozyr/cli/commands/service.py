"""`kozyr pause`, `kozyr resume`, `kozyr drain`: the state of the service, also while none of its processes but Redis
runs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

import click

from kozyr.cli.commands.operator import by, parts, plainly, reason

if TYPE_CHECKING:
    from kozyr.container import Container

LOOK_EVERY_S: Final = 1.0
QUIET_LOOKS: Final = 2
"""How many looks in a row have to find nothing: a match that was asked for before the drain may be made just after."""
NOT_DONE: Final = 1


@click.command()
@reason
@plainly
def pause(reason: str) -> None:
    """Stop all clocks. Nothing new is made; moves are made, and cost nothing. Survives restarts of everything."""
    _set("paused", reason)


@click.command()
@reason
@plainly
def resume(reason: str) -> None:
    """Let all go on, after a pause or a drain. Every running clock is given back the pause."""
    _set("running", reason)


@click.command()
@reason
@click.option("--wait", is_flag=True, help="Wait until no match runs or waits for its bots.")
@click.option(
    "--within",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="With --wait: for so long; status 1 if some do.",
)
@plainly
def drain(reason: str, wait: bool, within: float | None) -> None:
    """Make nothing new; what was made is played to its end."""
    if within is not None and not wait:
        raise click.UsageError("--within goes with --wait")
    running = _set("draining", reason)
    if wait and not _quiet(running, within):
        sys.exit(NOT_DONE)


def _set(state: str, reason: str) -> Container:
    from referee.service.state import ServiceState

    running = parts()
    standing = running.administration.set_service(by(), ServiceState(state), reason)
    click.echo(f"the service is {standing.state}")
    return running


def _quiet(running: Container, within: float | None) -> bool:
    """Tell what is not over until nothing is, or the time is up."""
    until = None if within is None else time.monotonic() + within
    told, quiet = "", 0
    while True:
        counts = running.index.unfinished()
        left = {name: counts.get(name, 0) for name in ("running", "waiting")}
        line = f"{left['running']} matches run, {left['waiting']} wait for their bots"
        if line != told:
            click.echo(line)
            told = line
        quiet = 0 if any(left.values()) else quiet + 1
        if quiet >= QUIET_LOOKS:
            return True
        if until is not None and time.monotonic() >= until:
            return False
        time.sleep(LOOK_EVERY_S)
