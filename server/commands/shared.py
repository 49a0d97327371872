"""What the operator commands share: the container, the acting user, and error messages."""

from __future__ import annotations

import functools
import getpass
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from kozyr.cli.errors import AWAY, REFUSED, fail
from kozyr.cli.output import as_json, together

if TYPE_CHECKING:
    from league.operators.audit import AuditActor
    from server.config.settings import Settings
    from server.container import Container

P = ParamSpec("P")
R = TypeVar("R")

reason = click.option(
    "--reason", default="", metavar="TEXT", help="Why. Shown to bots and kept in the audit log."
)
"""The option `--reason` of interventions."""


def container() -> Container:
    """Return a container for the Redis of the settings, or of the `kozyr up` that runs in var/. Raise
    `UnknownDataVersion`."""
    from server.config.settings import load
    from server.container import Container
    from server.embedded import attached
    from server.stored_data import claim

    found = Container(attached(load()))
    claim(found.redis, found.settings)
    found.accounts.learn_names()
    return found


def by() -> AuditActor:
    """Return the user of this machine, for the audit log."""
    from league.operators.audit import AuditActor

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name, as in a container
        user = ""
    return AuditActor("cli", user)


def attached_settings() -> Settings:
    """Return the settings with Redis and the secret filled in: as given, or from the `kozyr up` that runs in var/."""
    from server.config.settings import load
    from server.embedded import attached
    from server.supervisor import tie_to_parent

    tie_to_parent()
    return attached(load())


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """Print errors without a traceback. Exit with status 1 for a refusal, and 2 for wrong settings or a Redis that is
    away.

    Imports nothing before the command fails: the API must patch gevent first.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except Exception as why:
            status = _status_after(why)
            if status is None:
                raise
            # A process of `kozyr up` has put its name before its last words.
            fail(_advised(why), status)

    return run


prints_result = together(as_json, plainly)
"""Adds `--json` to a command of operators, and prints its errors in one sentence."""
intervention = together(reason, as_json, plainly)
"""The same with `--reason`, which the audit log keeps."""


def _advised(why: Exception) -> str:
    """Return the text of an error, and what to do after one of a library that does not say it."""
    text = str(why).removeprefix("kozyr: ")  # with which a process of `kozyr up` begins its last words
    if text.startswith("Error ") and " connecting to " in text:  # of redis-py
        return f"{text.rstrip('.')}: check that Redis runs, and that KOZYR_REDIS_URL is its address"
    return text


def _status_after(why: Exception) -> int | None:
    """Return the exit status for an error that the user can understand; `None` for any other."""
    from redis.exceptions import RedisError

    from engine.game import BadTable
    from league.errors import LeagueError
    from records.errors import RefereeError
    from redisio.errors import RefusedByRedis
    from referee.archive.segment import BadSegment
    from referee.object_store import ArchiveAway
    from referee.storage.redis_data_version import UnknownDataVersion
    from server.config.folder import UnusableFolder
    from server.config.settings import SettingError
    from server.embedded import EmbeddedRedisError
    from server.supervisor import CannotWork

    if isinstance(why, LeagueError | RefereeError | BadTable):
        return REFUSED
    settings = SettingError, UnusableFolder, CannotWork
    stores = EmbeddedRedisError, UnknownDataVersion, RedisError, RefusedByRedis, ArchiveAway, BadSegment
    return AWAY if isinstance(why, (*settings, *stores)) else None
