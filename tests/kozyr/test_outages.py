"""The same warning about a Redis that is away is logged once a minute."""

from __future__ import annotations

import logging

import pytest
from redis.exceptions import ConnectionError as LostConnection

from server.logs.failures import AGAIN_S, OutageFilter


class OutageClock:
    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> OutageClock:
    return OutageClock()


@pytest.fixture
def logged(clock: OutageClock, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.handler.addFilter(OutageFilter(clock))
    return caplog


def test_a_warning_comes_once_a_minute_and_says_how_many_were_left_out(
    clock: OutageClock, logged: pytest.LogCaptureFixture
) -> None:
    log = logging.getLogger("kozyr.test")
    for _ in range(18 * int(AGAIN_S)):
        log.warning("no heartbeat: %s", LostConnection("refused"))
        clock.now += 1 / 18.1
    assert logged.messages == ["no heartbeat: refused"]
    clock.now += 1
    log.warning("no heartbeat: %s", LostConnection("refused"))
    assert logged.messages[1:] == [
        "no heartbeat: refused (1079 such warnings were left out since the last one)"
    ]


def test_every_other_line_passes(logged: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("kozyr.test")
    for _ in range(3):
        log.warning("something else: %s", ValueError("x"))
        log.error("it failed: %s", LostConnection("refused"))
    assert len(logged.messages) == 6


def test_the_warnings_of_the_queue_are_alike(logged: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        logging.getLogger("rq.worker").warning("could not connect")
    assert logged.messages == ["could not connect"]
