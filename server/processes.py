"""The processes beside the API: the clock and the workers."""

from __future__ import annotations

import signal
import threading
from functools import partial
from typing import Final

from referee.service.processes import ProcessKind
from referee.storage.store import OutboxKind
from server.collector import exempt_from_collection
from server.config.settings import Settings
from server.container import Container, job_queue
from server.embedded import disk_room
from server.heartbeats import Pulse, report_errors, this_process
from server.house import THINKING
from server.logs.structured import configure
from server.stored_data import await_data
from workers.context import WorkerServices
from workers.deadline_loop import DeadlineLoop, FeedRelay, HouseRelay
from workers.periodic import PeriodicWork
from workers.stop_request import StopRequest

INDEX_PATIENCE_S: Final = 1.0
"""How long the clock leaves a match to the process that committed it and feeds it to the indexes. That takes
milliseconds, or a tenth of a second where a worker commits many matches at once."""


def run_clock(settings: Settings) -> None:
    """Run the deadline loop until SIGTERM or SIGINT."""
    configure(settings.log_level, settings.secret, settings.admin_token)
    queue = job_queue(settings)
    container = Container(settings, jobs=lambda: queue, disk=disk_room(settings).space)
    me = this_process(ProcessKind.CLOCK)
    pulse = Pulse(me, container.processes, also=partial(report_errors, container.errors, me))
    loop = DeadlineLoop(
        container.referee,
        {
            OutboxKind.INDEX: FeedRelay(container.referee, container.feed),
            OutboxKind.HOUSE: HouseRelay(container.store, queue.play_house),
        },
        PeriodicWork(container),
        patience_s={OutboxKind.INDEX: INDEX_PATIENCE_S},
        tick_ms=settings.tick_ms,
        after_pass=pulse.heartbeat,
    )
    stop = StopRequest()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    exempt_from_collection()
    await_data(container.redis, settings, stop)
    loop.run(stop)
    pulse.leave()


def run_worker(settings: Settings) -> None:
    """Run the RQ worker until SIGTERM or SIGINT."""
    from workers.run import run_worker as run

    configure(settings.log_level, settings.secret, settings.admin_token)
    queue = job_queue(settings, timeout=None)
    container = Container(settings, jobs=lambda: queue, asks_thinkers=True, disk=disk_room(settings).space)
    exempt_from_collection()
    await_data(container.redis, settings)
    me = this_process(ProcessKind.WORKER)

    def report() -> None:
        report_errors(container.errors, me)
        THINKING.report(container.load.thought)

    pulse = Pulse(me, container.processes, also=report)
    stop = threading.Event()
    beating = threading.Thread(target=pulse.keep_beating, args=(stop,), name="heartbeat", daemon=True)
    beating.start()
    run(WorkerServices(container, queue))
    stop.set()
    beating.join(1.0)
    pulse.leave()
