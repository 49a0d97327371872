"""`kozyr healthy`: the health check of a process, for containers."""

from __future__ import annotations

import sys

import click

from kozyr.terminal import echo
from server.commands.shared import plainly

UNHEALTHY = 1


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
        echo(f"kozyr: the {kind} on this host is not healthy", err=True)
        sys.exit(UNHEALTHY)
