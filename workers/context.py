"""The services that jobs use. The process sets them before the worker starts, since RQ jobs are plain functions."""

from __future__ import annotations

from typing import NamedTuple

from league.container.league import LeagueContainer
from workers.queue import JobQueue


class WorkerServices(NamedTuple):
    league: LeagueContainer
    queue: JobQueue


_services: WorkerServices | None = None


def use(services: WorkerServices) -> None:
    """Set the services for the jobs of this process."""
    global _services
    _services = services


def services() -> WorkerServices:
    """Return the services set by `use`. Raise `RuntimeError` if there are none."""
    if _services is None:
        raise RuntimeError("workers.context.use(...) was not called before the first job")
    _services.league.accounts.learn_names()
    return _services
