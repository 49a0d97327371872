"""An API process advances service time only while the API responds. These tests use a manual clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from redis.exceptions import ConnectionError as LostConnection

from redisio.errors import NotServing, StoreFull
from referee.service.processes import Heartbeat, Process, ProcessKind
from server.heartbeats import LONGEST_GATE_S, REPORT_EVERY_S, STOOD_STILL_S, HeartbeatSender, Pulse

ME: Final = Process(ProcessKind.API, 1, "aaaaaa", "here")
CLOCK: Final = Process(ProcessKind.CLOCK, 2, "bbbbbb", "here")
EVERY_S: Final = 0.15


class Stage:
    """A heart with a manual monotonic clock and stand-ins for Redis and the API."""

    def __init__(self) -> None:
        self.now = 100.0
        self.answers = True
        self.asked = 0
        self.lasts_s = 0.0
        self.fault: Exception | None = None
        self.served: list[bool] = []
        self.beats: list[int] = []
        self.left: list[str] = []
        self.heart = HeartbeatSender(
            ME,
            _Processes(self),
            _Matches(self.beats),  # type: ignore[arg-type]  # all that the heart needs of a store
            answers=self._answer,
            timeout_s=4.0,
            exists=lambda pid: True,
            monotonic=lambda: self.now,
        )

    def _answer(self) -> bool:
        self.asked += 1
        return self.answers

    def heartbeat(self, after_s: float = EVERY_S) -> None:
        self.now += after_s
        self.heart.heartbeat()


class _Matches:
    def __init__(self, beats: list[int]) -> None:
        self._beats = beats

    def heartbeat(self, late_ms: int = 0) -> int:
        self._beats.append(late_ms)
        return 0


class _Processes:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def heartbeat(self, process: Process, *, serves: bool = False) -> list[Heartbeat]:
        stage = self._stage
        if stage.fault is not None:
            raise stage.fault
        stage.served.append(serves)
        stage.now += stage.lasts_s
        return [Heartbeat(process, 0, 0 if serves else None)]

    def leave(self, names: Sequence[str]) -> None:
        self._stage.left += names


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_a_process_serves_once_the_api_has_answered(stage: Stage) -> None:
    for _ in range(3):
        stage.heartbeat()
    assert (stage.asked, stage.beats) == (1, [0, 0, 0])


def test_no_clock_runs_while_the_api_does_not_answer(stage: Stage) -> None:
    stage.answers = False
    for _ in range(5):
        stage.heartbeat()
    assert (stage.beats, any(stage.served)) == ([], False)
    stage.answers = True
    stage.heartbeat()
    assert (stage.beats, stage.served[-1]) == ([0], True)


def test_a_flood_holds_clocks_for_a_bounded_time(stage: Stage) -> None:
    stage.answers = False
    stage.heartbeat()
    while not stage.beats:
        stage.heartbeat()
    assert stage.now - 100.0 == pytest.approx(LONGEST_GATE_S, abs=2 * EVERY_S)


def test_a_process_that_stood_still_has_to_answer_again(stage: Stage) -> None:
    stage.heartbeat()
    stage.answers = False
    stage.heartbeat(STOOD_STILL_S)
    assert (stage.beats, stage.served) == ([0], [False, True, False])
    stage.answers = True
    stage.heartbeat()
    assert stage.beats == [0, 0]


def test_a_process_that_stood_still_in_the_middle_of_a_heartbeat_moves_no_clock(stage: Stage) -> None:
    stage.heartbeat()
    stage.answers, stage.lasts_s = False, STOOD_STILL_S
    stage.heartbeat()
    assert stage.beats == [0]


@pytest.mark.parametrize(
    ("fault", "expected", "answers"),
    [
        (LostConnection("Error 111 connecting to secret-host:6379"), "Redis does not answer", False),
        (NotServing(LostConnection("-READONLY a replica")), "Redis refuses to serve: READONLY", True),
        (StoreFull(LostConnection("-OOM no room")), "Redis refuses to serve: OOM (storage_full)", True),
    ],
)
def test_vitals_name_what_is_wrong_with_redis(
    stage: Stage, fault: Exception, expected: str, answers: bool
) -> None:
    stage.fault = fault
    with pytest.raises(LostConnection):
        stage.heartbeat()
    assert stage.heart.vitals()[:2] == (expected, answers)
    stage.fault = None
    stage.heartbeat()
    assert stage.heart.vitals().store_fault is None


def test_vitals_age_between_heartbeats(stage: Stage) -> None:
    stage.heartbeat()
    stage.now += 8.2
    (mine,) = stage.heart.vitals().heartbeats
    assert (mine.age_ms, mine.served_ms_ago) == (8_200, 8_200)


def test_a_leaving_process_withdraws_its_heartbeat(stage: Stage) -> None:
    stage.heart.leave()
    assert stage.left == [ME.name]


def test_a_pulse_beats_at_most_once_a_second(stage: Stage) -> None:
    pulse = Pulse(CLOCK, _Processes(stage), lambda: stage.now)
    for _ in range(20):
        pulse.heartbeat()
        stage.now += REPORT_EVERY_S / 4
    assert len(stage.served) == 5
