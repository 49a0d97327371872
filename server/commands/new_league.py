"""`kozyr new-league`: a deliberate new start beside the folder or the archive of an old league."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.terminal import echo
from server.commands.shared import plainly

if TYPE_CHECKING:
    from server.config.settings import Settings


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@plainly
def new_league(yes: bool) -> None:
    """Begin a new league where the old one was lost.

    A service refuses to start with a Redis that has lost the league of its folder or archive. `kozyr restore` brings
    the league back. This command gives it up instead: it moves the folder of the archive aside, and names a new league
    in Redis, in KOZYR_VAR and in the archive. Nothing is deleted. Stop all processes of the service before. Exits with
    status 1 if no league is lost.
    """
    from server.config.settings import load
    from server.league_identity import LeagueIdentity, WrongLeague
    from server.stored_data import connected

    with _with_redis(load()) as settings:
        identity = LeagueIdentity(connected(settings), settings)
        for place, league in identity.witnesses():
            echo(f"{place} belongs to league {league}", err=True)
        if not yes:
            click.confirm(
                "Give up the old league? Its tokens, matches and ratings stay lost", abort=True, err=True
            )
        try:
            begun = identity.begin()
        except WrongLeague as why:
            fail(str(why), REFUSED)
    echo(f"began league {begun.league}")
    if begun.moved is not None:
        echo(f"the old archive is now {begun.moved}")


@contextmanager
def _with_redis(settings: Settings) -> Iterator[Settings]:
    """Run the embedded Redis during the block, unless it runs already or another one is set."""
    from dataclasses import replace

    from server import embedded

    server = embedded.of(settings)
    if settings.redis_url is not None or embedded.answers(server.url):
        yield embedded.attached(settings)
        return
    server.start()
    try:
        yield replace(settings, redis_url=server.url)
    finally:
        server.stop()
