"""The RQ worker: no fork (a forking one takes ten times as long for a small job), no scheduler of RQ's own.

SIGTERM or SIGINT ends it after the job in hand, so within a second or two.
"""

from __future__ import annotations

import logging

from rq import SimpleWorker
from rq.serializers import JSONSerializer

from workers import context

log = logging.getLogger(__name__)


def make_worker(services: context.Services) -> SimpleWorker:
    """A worker whose jobs work with these services."""
    context.use(services)
    queue = services.queue
    return SimpleWorker([queue.queue], connection=queue.connection, serializer=JSONSerializer)


def run_worker(services: context.Services, *, burst: bool = False) -> None:
    """Do jobs until told to stop; with `burst` until none is left."""
    make_worker(services).work(burst=burst, with_scheduler=False, logging_level="WARNING")
