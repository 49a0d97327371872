"""What jobs work with. The composition root sets it before the worker starts; jobs are plain functions."""

from __future__ import annotations

from typing import NamedTuple

from league.ladders.adjusted_points import AdjustedPoints
from league.ratings.book import RatingBook
from league.rounds import Rounds
from referee.referee import Referee
from workers.queue import JobQueue


class WorkerServices(NamedTuple):
    """The services of one process."""

    referee: Referee
    rounds: Rounds
    ratings: RatingBook
    adjusting: AdjustedPoints
    queue: JobQueue


_services: WorkerServices | None = None


def use(services: WorkerServices) -> None:
    """From now on jobs of this process work with these."""
    global _services
    _services = services


def services() -> WorkerServices:
    """What `use` was given."""
    if _services is None:
        raise RuntimeError("workers.context.use(...) was not called before the first job")
    return _services
