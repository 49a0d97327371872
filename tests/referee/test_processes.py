"""Heartbeats: how far service time runs, which processes have ended, and when the service is ready."""

from __future__ import annotations

from typing import Final

import pytest

from redisio.connection import Redis
from referee.service.processes import (
    RETURN_LEAST_MS,
    RETURN_MOST_MS,
    Heartbeat,
    Process,
    ProcessKind,
    ProcessRoster,
    RedisProcesses,
)
from referee.service.readiness import KnownState, Readiness, Thresholds, judged

ME: Final = Process(ProcessKind.API, 1, "aaaaaa", "here")
OTHER: Final = Process(ProcessKind.API, 2, "bbbbbb", "here")
FAR: Final = Process(ProcessKind.API, 3, "cccccc", "elsewhere")
CLOCK: Final = Process(ProcessKind.CLOCK, 4, "dddddd", "here")
WORKER: Final = Process(ProcessKind.WORKER, 5, "eeeeee", "here")
HELD_MS: Final = 14_000
THRESHOLDS: Final = Thresholds(silent_ms=5_000, old_job_ms=30_000)


def heartbeat(process: Process, age_ms: int = 0, served_ms_ago: int | None = None) -> Heartbeat:
    """Return a heartbeat. An API process has served with it, unless `served` says otherwise."""
    if process.kind is ProcessKind.API and served_ms_ago is None:
        served_ms_ago = age_ms
    return Heartbeat(process, age_ms, served_ms_ago)


def starting(process: Process) -> Heartbeat:
    return Heartbeat(process, 0, None)


def attendance(*pids: int) -> ProcessRoster:
    """Return the attendance on a host where processes with these ids run."""
    return ProcessRoster(ME, HELD_MS, lambda pid: pid in pids)


def test_the_slowest_api_process_limits_service_time() -> None:
    assert attendance(1, 2).late_ms([heartbeat(ME), heartbeat(OTHER, 150), heartbeat(CLOCK, 9_000)], 0) == 150


def test_a_frozen_process_stops_service_time_until_gunicorn_kills_it() -> None:
    here = attendance(1, 2)
    assert here.late_ms([heartbeat(ME), heartbeat(OTHER, HELD_MS)], 0) == HELD_MS
    assert here.late_ms([heartbeat(ME), heartbeat(OTHER, HELD_MS + 1)], 1) == 0
    assert here.ended([heartbeat(ME), heartbeat(OTHER, HELD_MS + 1)], 1) == []


def test_a_revived_process_stops_service_time_until_it_serves() -> None:
    assert attendance(1, 2).late_ms([heartbeat(ME), heartbeat(OTHER, 0, 6_000)], 0) == 6_000


def test_a_starting_process_does_not_stop_service_time() -> None:
    assert attendance(1, 2).late_ms([heartbeat(ME), starting(OTHER)], 0) == 0


@pytest.mark.parametrize(
    ("silent", "allowed"), [(400, RETURN_LEAST_MS), (3_000, 3_000), (60_000, RETURN_MOST_MS)]
)
def test_bots_of_an_ended_process_get_time_to_reconnect(silent: int, allowed: int) -> None:
    here = attendance(1)
    for passed in (0, allowed - 1):
        seen = [heartbeat(ME), heartbeat(OTHER, silent + passed)]
        assert here.late_ms(seen, 1_000 + passed) == silent + passed
        assert here.ended(seen, 1_000 + passed) == []
    seen = [heartbeat(ME), heartbeat(OTHER, silent + allowed)]
    assert here.late_ms(seen, 1_000 + allowed) == 0
    assert here.ended(seen, 1_000 + allowed) == [OTHER.name]


def test_an_earlier_process_with_my_own_id_has_ended() -> None:
    earlier = ME._replace(token="ffffff")
    here = attendance(1)
    here.late_ms([heartbeat(ME), heartbeat(earlier, 60_000)], 0)
    assert here.ended([heartbeat(ME), heartbeat(earlier, 70_000)], 10_000) == [earlier.name]


def test_a_silent_process_on_another_host_counts_as_frozen() -> None:
    assert attendance(1).late_ms([heartbeat(ME), heartbeat(FAR, 9_000)], 0) == 9_000
    assert attendance(1).ended([heartbeat(ME), heartbeat(FAR, 9_000)], 0) == []


def test_an_ended_clock_is_removed_and_a_frozen_one_is_not() -> None:
    assert attendance(1).ended([heartbeat(ME), heartbeat(CLOCK, 4_000)], 0) == [CLOCK.name]
    assert attendance(1, 4).ended([heartbeat(ME), heartbeat(CLOCK, 4_000)], 0) == []
    assert attendance(1).ended([heartbeat(ME), heartbeat(CLOCK, 2_000)], 0) == [], (
        "a clock sends one heartbeat per second"
    )


# In Redis


def test_every_process_sees_a_heartbeat_until_its_process_leaves(any_redis: Redis) -> None:
    processes = RedisProcesses(any_redis)
    processes.heartbeat(CLOCK)
    processes.heartbeat(ME)
    seen = {each.process: each.served_ms_ago for each in processes.heartbeat(OTHER, serves=True)}
    assert seen == {CLOCK: None, ME: None, OTHER: 0}
    processes.leave([CLOCK.name, OTHER.name])
    processes.leave([])
    assert [each.process for each in processes.heartbeat(ME)] == [ME]


def test_a_process_that_stops_serving_keeps_its_last_instant(redis: Redis) -> None:
    processes = RedisProcesses(redis)
    processes.heartbeat(ME, serves=True)
    served = redis.one("HGET", "kozyr:{service}:processes", ME.name).split()[1]
    redis.one(
        "HSET", "kozyr:{service}:processes", ME.name, f"{int(served) - 7_000} {int(served) - 7_000} here"
    )
    (mine,) = processes.heartbeat(ME)
    assert mine.age_ms == 0
    assert mine.served_ms_ago is not None
    assert mine.served_ms_ago >= 7_000


# Readiness


def readiness(*beats: Heartbeat, **more: int) -> Readiness:
    return judged(KnownState(heartbeats=beats, oldest_jobs=more), THRESHOLDS, "kozyr")


WHOLE: Final = (heartbeat(ME, 100), heartbeat(CLOCK, 900), heartbeat(WORKER, 900))


def test_a_service_with_a_process_of_each_kind_is_ready() -> None:
    found = readiness(*WHOLE, kozyr=30_000)
    assert (found.ready, found.to_json()["degraded"]) == (True, False)
    assert found.parts == {"redis": True, "writes": True, "api": True, "clock": True, "worker": True}


@pytest.mark.parametrize(
    ("place", "silent", "problem"),
    [
        (0, heartbeat(ME, 8_200), "api-1-aaaaaa has been silent for 8.2 s"),
        (1, heartbeat(CLOCK, 8_200), "clock-4-dddddd has been silent for 8.2 s"),
        (2, heartbeat(WORKER, 8_200), "worker-5-eeeeee has been silent for 8.2 s"),
    ],
)
def test_the_only_process_of_a_kind_must_not_be_silent(place: int, silent: Heartbeat, problem: str) -> None:
    found = readiness(*(silent if place == n else each for n, each in enumerate(WHOLE)))
    assert (found.ready, found.problems, found.warnings) == (False, (problem,), ())
    assert found.parts[silent.process.kind] is False


def test_one_silent_process_among_several_is_a_warning() -> None:
    found = readiness(*WHOLE, heartbeat(WORKER._replace(pid=6), 5_001))
    assert (found.ready, found.problems) == (True, ())
    assert found.warnings == ("worker-6-eeeeee has been silent for 5.0 s",)


def test_a_kind_without_a_process_is_a_problem() -> None:
    assert readiness(*WHOLE[:2]).problems == ("worker: no process has sent a heartbeat",)


def test_an_api_that_has_not_served_yet_is_not_ready() -> None:
    assert readiness(starting(ME), *WHOLE[1:]).problems == ("api: no process serves yet",)


def test_only_old_jobs_of_the_urgent_queue_are_a_warning() -> None:
    found = readiness(*WHOLE, **{"kozyr": 42_000, "kozyr-idle": 90_000})
    assert (found.ready, found.warnings) == (
        True,
        ("the oldest job of the queue kozyr has waited for 42.0 s",),
    )


def test_while_redis_takes_no_writes_that_is_the_only_problem() -> None:
    vitals = KnownState("Redis refuses to serve: OOM", True, (heartbeat(CLOCK, 90_000),))
    found = judged(vitals, THRESHOLDS, "kozyr")
    assert found.problems == ("Redis refuses to serve: OOM",)
    assert found.parts == {"redis": True, "writes": False}
