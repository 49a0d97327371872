"""`kozyr data`: the version of the stored data, matches that this release can't read, and contradictions."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.cli.output import as_json, show, wants_json
from kozyr.terminal import echo
from server.commands.shared import container, plainly, prints_result

if TYPE_CHECKING:
    from league.consistency.model import Contradiction
    from server.container import Container

_REPAIR_KEY: Final = "kozyr:repair"
_LEASE_S: Final = 60


@click.group(invoke_without_command=True)
@as_json
@click.pass_context
@plainly
def data(context: click.Context) -> None:
    """Check and repair the stored data.

    Without a command, prints the version of the data and the ids of matches that this release cannot read. Exits with
    status 1 if there are any.
    """
    if context.invoked_subcommand is not None:
        return
    from referee.storage.redis_data_version import claim_data

    running = container()
    number = claim_data(running.redis)
    if not wants_json():
        echo(f"format {number}")
    looked, found = 0, list[str]()
    for match in running.index.known():
        looked += 1
        if match in running.store.unreadable:
            found.append(match)
            if not wants_json():
                echo(match)
    document = {"format": number, "matches": looked, "unreadable": found}
    show(document, f"{looked} matches, {len(found)} of them unreadable")
    if found:
        sys.exit(REFUSED)


@data.command()
@prints_result
def check() -> None:
    """Look for contradictions in the data.

    After a failover to a replica that lacked writes, matches and what follows from them may contradict one another:
    rounds, lists, the chain of records, standings, ratings and statistics. Prints a line for each contradiction, and
    exits with status 1 if there is one. Changes nothing. While the service runs, what it is just doing may look like a
    contradiction; check again.
    """
    found: list[Contradiction] = []
    for finding in container().consistency.findings():
        found.append(finding)
        if not wants_json():
            echo(str(finding))
    document = {"contradictions": [finding.to_json() for finding in found]}
    show(document, f"contradictions: {len(found)}")
    if found:
        sys.exit(REFUSED)


@data.command()
@prints_result
def repair() -> None:
    """Repair the contradictions that `kozyr data check` finds.

    Matches and their records count. All else is made from them again, except the statistics of bots. Rounds get their
    missing matches, matches without a place in their round are voided, the chain is linked again from the first wrong
    record on. Stop the service first; Redis must run. Safe to repeat and to interrupt. Exits with status 1 if something
    is left.
    """
    running = container()
    _check_stopped(running)
    mended: list[Contradiction] = []
    with _alone(running):
        left = running.consistency.repair(mended.append)
    document = {
        "repaired": [finding.to_json() for finding in mended],
        "left": [finding.to_json() for finding in left],
    }
    lines = [f"{what}  {each}" for what, found in (("repaired", mended), ("left", left)) for each in found]
    show(document, lines, f"repaired: {len(mended)}, left: {len(left)}")
    if left:
        sys.exit(REFUSED)


def _check_stopped(running: Container) -> None:
    """Refuse to go on while a process of the service sends heartbeats."""
    silent_ms = running.settings.silent_s * 1000
    alive = [beat.process.name for beat in running.processes.heartbeats() if beat.age_ms <= silent_ms]
    if alive:
        fail(f"stop the service first; these processes run: {', '.join(sorted(alive))}", REFUSED)


@contextlib.contextmanager
def _alone(running: Container) -> Iterator[None]:
    """Hold the lock that lets one repair at a time run. It expires a minute after its process was killed."""
    redis, over = running.redis, threading.Event()
    if not redis.one("SET", _REPAIR_KEY, 1, "NX", "EX", _LEASE_S):
        fail("another repair runs, or was killed within the last minute", REFUSED)

    def renew() -> None:
        while not over.wait(_LEASE_S / 3):
            redis.one("EXPIRE", _REPAIR_KEY, _LEASE_S)

    renewing = threading.Thread(target=renew, daemon=True)
    renewing.start()
    try:
        yield
    finally:
        over.set()
        renewing.join()
        redis.one("DEL", _REPAIR_KEY)
