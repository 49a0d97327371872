"""What the operator commands share: the container, the acting user, and error messages."""

from __future__ import annotations

import functools
import getpass
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from kozyr.terminal import echo

if TYPE_CHECKING:
    from league.operators.audit import AuditActor
    from server.container import Container

P = ParamSpec("P")
R = TypeVar("R")

reason = click.option(
    "--reason", default="", metavar="TEXT", help="Why. Shown to bots and kept in the audit log."
)
"""The option `--reason` of every intervention."""


def container() -> Container:
    """Return a container for the Redis of the settings, or of the `kozyr up` that runs in var/. Raise
    `UnknownDataVersion`."""
    from server.config.settings import load
    from server.container import Container
    from server.embedded import attached
    from server.stored_data import claim

    found = Container(attached(load()))
    claim(found.redis, found.settings)
    return found


def by() -> AuditActor:
    """Return the user of this machine, for the audit log."""
    from league.operators.audit import AuditActor

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name, as in a container
        user = ""
    return AuditActor("cli", user)


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """Print errors without a traceback. Exit with status 1 for a refusal, and 2 for wrong settings or a Redis that is
    away."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from redis.exceptions import RedisError

        from engine.game import BadTable
        from league.errors import LeagueError
        from referee.archive.segment import BadSegment
        from referee.errors import RefereeError
        from referee.storage.redis_data_version import UnknownDataVersion
        from referee.tables.store import ArchiveAway
        from server.config.folder import UnusableFolder
        from server.config.settings import SettingError
        from server.embedded import EmbeddedRedisError

        try:
            return command(*args, **kwargs)
        except (LeagueError, RefereeError, BadTable) as refusal:
            echo(f"kozyr: {refusal}", err=True)
            sys.exit(1)
        except (
            SettingError,
            UnusableFolder,
            EmbeddedRedisError,
            UnknownDataVersion,
            RedisError,
            ArchiveAway,
            BadSegment,
        ) as why:
            echo(f"kozyr: {why}", err=True)
            sys.exit(2)

    return run
