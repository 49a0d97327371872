"""`kozyr data`: the version of the stored data and the matches that this release can't read."""

from __future__ import annotations

import sys
from typing import Final

import click

from kozyr.cli.operator import parts, plainly

UNREADABLE: Final = 1


@click.command()
@plainly
def data() -> None:
    """Check the stored data.

    Prints the version of the data and the ids of matches that this release cannot read. Exits with status 1 if there
    are any.
    """
    from referee.storage.redis_data_version import claim_data

    running = parts()
    click.echo(f"format {claim_data(running.redis)}")
    looked = found = 0
    for match in running.index.known():
        looked += 1
        if match in running.store.unreadable:
            found += 1
            click.echo(match)
    click.echo(f"{looked} matches, {found} of them unreadable")
    if found:
        sys.exit(UNREADABLE)
