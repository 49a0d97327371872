"""A queue on a Redis of its own, which is emptied, frozen and killed while rounds and house bots play."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from league.ladders.model import RoundState
from league.ladders.schedule import Schedule
from league.ladders.settings import LadderSettings
from server.container import Container
from server.embedded import EmbeddedRedis
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]


@pytest.fixture
def queue_server(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path / "queue", appendfsync="no").start()
    yield server
    server.kill()


def test_losing_the_queue_loses_nothing(
    live_service: Callable[..., LiveService], queue_server: EmbeddedRedis
) -> None:
    """Rounds start, are played and end while the queue is emptied, and after it died for a while."""
    service = live_service(settings={"KOZYR_QUEUE_REDIS_URL": queue_server.url, "KOZYR_TICK_MS": "50"})
    league = Container(service.settings)
    quick = league.ladders.create(
        "owner", LadderSettings("quick", "durak", 2, deals=2, decks="independent", repeats=300)
    )
    slow = league.ladders.create("owner", LadderSettings("slow", "durak", 2, deals=4, decks="independent"))
    for ladder, bots in ((quick, ("random", "greedy")), (slow, ("search-100ms", "random"))):
        for bot in bots:
            league.ladders.enter(ladder.id, league.accounts.bot("house", bot))

    def is_done(ladder_id: str) -> bool:
        return league.ladders.round(ladder_id, 1).state is RoundState.DONE

    def goes_on(ladder_id: str, over: int) -> bool:
        return league.ladders.round(ladder_id, 1).over > over or is_done(ladder_id)

    league.rounds.start(quick.id)
    league.rounds.start(slow.id)
    eventually(lambda: league.ladders.round(quick.id, 1).over > 0, "the round is being played")
    with contextlib.closing(queue_server.client()) as jobs:
        jobs.flushall()
        over = league.ladders.round(quick.id, 1).over
        eventually(partial(goes_on, quick.id, over), "the round goes on with an empty queue")
    queue_server.kill()
    assert service.http().get("/readyz").json()["parts"]["redis"]
    eventually(lambda: "the job queue is away" in service.log("clock"))
    queue_server.start()
    for ladder in (quick, slow):
        eventually(partial(is_done, ladder.id), f"the round of {ladder.name} ends")
    assert league.ladders.round(quick.id, 1).over == 300
    assert league.ladders.round(slow.id, 1).over == 1


def test_a_start_that_falls_due_without_a_queue_takes_place_later(
    live_service: Callable[..., LiveService], queue_server: EmbeddedRedis
) -> None:
    service = live_service(settings={"KOZYR_QUEUE_REDIS_URL": queue_server.url, "KOZYR_TICK_MS": "50"})
    league = Container(service.settings)
    store = league.ladders.store
    ladder = league.ladders.create(
        "owner",
        LadderSettings("yearly", "durak", 2, decks="independent", schedule=Schedule("0 0 1 1 *")),
    )
    for bot in ("random", "greedy"):
        league.ladders.enter(ladder.id, league.accounts.bot("house", bot))
    league.ladders.change(ladder.id, state="running")
    queue_server.kill()
    due = store.now()
    store.set_due("schedules", ladder.id, due)
    eventually(lambda: "the job queue is away" in service.log("clock"))
    assert store.last_round(ladder.id) == 0
    queue_server.start()
    eventually(lambda: store.last_round(ladder.id) == 1, "the round starts")
    eventually(
        lambda: (store.due_at("schedules", ladder.id) or 0) > due,
        "the next start is noted",
    )
    assert league.ladders.round(ladder.id, 1).due == due


def test_a_frozen_queue_leaves_the_clock_running(
    live_service: Callable[..., LiveService], queue_server: EmbeddedRedis
) -> None:
    with contextlib.closing(queue_server.client()) as client:
        jobs: Any = client
        jobs.execute_command("CLIENT", "PAUSE", 120_000, "ALL")
    service = live_service(
        ("redis", "api", "clock"),
        settings={"KOZYR_QUEUE_REDIS_URL": queue_server.url, "KOZYR_TICK_MS": "20"},
    )
    eventually(lambda: "the job queue is away" in service.log("clock"), "the clock enqueues a job")
    eventually(lambda: service.http().get("/readyz").json()["parts"]["clock"], "the clock goes on")
