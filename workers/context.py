"""The services that jobs use. The composition root sets them before the worker starts, since RQ jobs are plain
functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from league.notifications.service import Webhooks
from league.ratings.book import RatingBook
from league.reviews.service import Reviews
from league.rounds import Rounds
from referee.referee import Referee
from workers.queue import JobQueue


class WorkerServices(NamedTuple):
    """The services of a worker process."""

    referee: Referee
    rounds: Rounds
    ratings: RatingBook
    webhooks: Webhooks
    reviews: Reviews
    queue: JobQueue
    archive: Callable[[], int] = lambda: 0
    """Moves some old matches to the archive and returns how many."""
    dump: Callable[[], bool] = lambda: False
    """Advances the dump of a past month by one step. Returns whether there may be another one."""


_services: WorkerServices | None = None


def use(services: WorkerServices) -> None:
    """Set the services for the jobs of this process."""
    global _services
    _services = services


def services() -> WorkerServices:
    """Return the services set by `use`. Raise `RuntimeError` if there are none."""
    if _services is None:
        raise RuntimeError("workers.context.use(...) was not called before the first job")
    return _services
