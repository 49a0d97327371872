"""What the commands of whoever runs the service share: the parts of the service that runs, and who acts."""

from __future__ import annotations

import functools
import getpass
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from kozyr.container import Container
    from league.operators.store import AuditActor

P = ParamSpec("P")
R = TypeVar("R")

reason = click.option(
    "--reason", default="", metavar="TEXT", help="Why; bots are told, and the audit log keeps it."
)
"""An option of every act."""


def parts() -> Container:
    """The parts over the Redis of the settings, or of the `kozyr up` that runs in var/. Raises `UnknownDataVersion`."""
    from kozyr.config.settings import load
    from kozyr.container import Container
    from kozyr.serve.embedded import attached
    from referee.storage.redis_data_version import claim_data

    found = Container(attached(load()))
    claim_data(found.redis)
    return found


def by() -> AuditActor:
    """Whoever sits at this machine."""
    from league.operators.store import AuditActor

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name, as in a container
        user = ""
    return AuditActor("cli", user)


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """What is refused ends the command with the refusal's text alone, and status 1; what is wrong with the settings,
    or a Redis that is not there, with status 2."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from redis.exceptions import RedisError

        from engine.game import BadTable
        from kozyr.config.settings import SettingError
        from kozyr.serve.embedded import EmbeddedRedisError
        from league.errors import LeagueError
        from referee.errors import RefereeError
        from referee.storage.redis_data_version import UnknownDataVersion

        try:
            return command(*args, **kwargs)
        except (LeagueError, RefereeError, BadTable) as refusal:
            click.echo(f"kozyr: {refusal}", err=True)
            sys.exit(1)
        except (SettingError, EmbeddedRedisError, UnknownDataVersion, RedisError) as why:
            click.echo(f"kozyr: {why}", err=True)
            sys.exit(2)

    return run
