"""The processes of the service."""

from __future__ import annotations

import contextlib
import functools
import os
from typing import TYPE_CHECKING

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.terminal import echo
from server.commands.shared import attached_settings, plainly

if TYPE_CHECKING:
    from server.config.settings import Settings
    from server.embedded import EmbeddedRedis


@click.command()
@click.option(
    "--cut-damage", is_flag=True, help="Only cut the append-only file off where it is damaged, and end."
)
@plainly
def redis(cut_damage: bool) -> None:
    """Run the embedded Redis in the foreground.

    Its data are in the folder redis under KOZYR_VAR. Other commands with the same KOZYR_VAR find it there. If a power
    cut has damaged the end of the append-only file, that end is cut off, and the damaged file is kept beside it.
    """
    from server import embedded
    from server.config.folder import usable
    from server.config.settings import load
    from server.supervisor import tie_to_parent

    tie_to_parent()
    settings = load()
    if not settings.embedded:
        raise click.ClickException("KOZYR_REDIS_URL is set, so the embedded Redis is not used")
    server = embedded.of(settings)
    if cut_damage:
        server.prepare(functools.partial(recover, all_of_it=True))
        server.release()
        return
    url = embedded.url_file(settings)
    with usable(settings.var):
        url.parent.mkdir(parents=True, exist_ok=True)
        embedded.keep_text(url, server.url + "\n")
    server.run(recover)


def recover(server: EmbeddedRedis, *, all_of_it: bool = False) -> None:
    """Mend the append-only file of a prepared server, and print what was done."""
    if not (all_of_it or server.may_be_damaged()):
        return
    from server.backup import recovery

    if done := recovery.recover(server, all_of_it=all_of_it):
        echo(f"kozyr: {done}", err=True)
    elif all_of_it:
        echo("nothing is damaged")
    server.socket.unlink(missing_ok=True)  # so the next start knows that this file was checked


@click.command()
@plainly
def api() -> None:
    """Run the HTTP API under gunicorn.

    SIGHUP reloads the code without closing the port. SIGTERM stops it.
    """
    from server.config.keys import signing_key
    from server.supervisor import is_supervised

    alone = not is_supervised()
    settings = attached_settings()
    signing_key(settings)  # report an unusable key once, before the workers start
    if alone:  # else the worker of `kozyr up` checks the data, and gunicorn starts without redis-py
        _check_data(settings)
    os.environ.update(settings.environment())
    from server.launch import serve

    serve(settings)


@click.command()
@plainly
def clock() -> None:
    """Run the deadline loop.

    Applies expired deadlines and starts the rounds and seasons that are due. Several clocks may run at once.
    """
    settings = attached_settings()
    from server.processes import run_clock

    run_clock(settings)


@click.command()
@plainly
def worker() -> None:
    """Run an RQ worker.

    It plays ladder rounds, updates ratings and asks the house bots that think. Run several to use more processors.
    """
    settings = attached_settings()
    from server.processes import run_worker

    run_worker(settings)


@click.command()
@plainly
def demo() -> None:
    """Play the demonstration league on a running service.

    Creates two owners, two bots and a ladder over HTTP, once, and keeps the bots running.
    """
    settings = attached_settings()
    from server.demo import run

    run(settings)


def _check_data(settings: Settings) -> None:
    """Raise `UnknownDataVersion` for data that this release can't read, and `RefusedByRedis`. If Redis is away, leave
    it to the processes."""
    from redis.exceptions import RedisError

    from server.stored_data import claim_first, connected

    with contextlib.suppress(RedisError):
        claim_first(connected(settings), settings)


@click.command()
@click.argument("kind", type=click.Choice(["api", "clock", "worker"]))
@plainly
def healthy(kind: str) -> None:
    """Exit with status 0 if the process of this KIND on this host works, else with 1.

    The API must answer GET /healthz. The clock and the workers must have sent a heartbeat within KOZYR_SILENT_S
    seconds. While Redis is away, nothing is known of them and the status is 0: a restart would not help.
    """
    from server.config.settings import load

    settings = load()
    if kind == "api":
        from server.probe import answers

        well = answers(settings.url, settings.silent_s)
    else:
        from redisio.connection import Redis
        from server.embedded import attached
        from server.heartbeats import beats_here

        found = attached(settings)
        well = beats_here(Redis(found.redis_address, cluster=found.redis_cluster), kind, found.silent_s)
    if not well:
        fail(f"the {kind} on this host is not healthy", REFUSED)
