"""A job that takes too long ends with an exception, but never within a round trip to Redis."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import FrameType
from typing import Any

from rq.timeouts import JobTimeoutException

from redisio import group_commit
from redisio.connection import Redis
from tests.support.waiting import eventually
from workers.run import RqWorker


class AlarmAt:
    """Raises SIGALRM before a bytecode of the shared connection, counted from 0."""

    def __init__(self, number: int) -> None:
        self._left = number

    @property
    def has_rung(self) -> bool:
        return self._left < 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != group_commit.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self._left -= 1
            if self._left == -1:
                signal.raise_signal(signal.SIGALRM)
        return self


def timed_out(redis: Redis, number: int) -> bool:
    """Run a job whose time is up at this bytecode. Return false if its round trip has fewer."""
    alarm, previous = AlarmAt(number), sys.gettrace()
    try:
        with RqWorker.death_penalty_class(60, JobTimeoutException):  # type: ignore[no-untyped-call]  # RQ's
            sys.settrace(alarm)
            try:
                assert redis.one("ECHO", number) == b"%d" % number
            finally:
                sys.settrace(previous)
            if alarm.has_rung:
                # Not `signal.pause`, which would wait for another signal if this one came just before it.
                eventually(lambda: False, "the job has ended")
    except JobTimeoutException:
        return True
    return False


def test_a_timeout_at_any_bytecode_leaves_a_connection_that_works(redis_url: str) -> None:
    redis, number = Redis(redis_url), 0
    redis.one("PING")
    with closing(redis), ThreadPoolExecutor(1) as others:
        while timed_out(redis, number):
            assert others.submit(redis.one, "ECHO", "there").result(timeout=60) == b"there"
            number += 1
    assert number > 100
