"""`kozyr data`: the version of the stored data and the matches that this release can't read."""

from __future__ import annotations

import sys
from typing import Final

import click

from kozyr.cli.operators.shared import container, plainly
from kozyr.cli.options import as_json, show
from kozyr.terminal import echo

UNREADABLE: Final = 1


@click.command()
@as_json
@plainly
def data(as_json: bool) -> None:
    """Check the stored data.

    Prints the version of the data and the ids of matches that this release cannot read. Exits with status 1 if there
    are any.
    """
    from referee.storage.redis_data_version import claim_data

    running = container()
    number = claim_data(running.redis)
    if not as_json:
        echo(f"format {number}")
    looked, found = 0, list[str]()
    for match in running.index.known():
        looked += 1
        if match in running.store.unreadable:
            found.append(match)
            if not as_json:
                echo(match)
    document = {"format": number, "matches": looked, "unreadable": found}
    show(document, f"{looked} matches, {len(found)} of them unreadable", as_json=as_json)
    if found:
        sys.exit(UNREADABLE)
