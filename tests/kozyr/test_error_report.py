"""Errors of processes, from their logs to the operators' page."""

from __future__ import annotations

import pytest
import redis as redis_py

from redisio.connection import Redis
from referee.service.errors import MOST_KEPT, RedisErrors
from referee.service.processes import Process, ProcessKind
from server.heartbeats import report_errors
from server.logs.structured import LOGGED, MOST_HELD

ME = Process(ProcessKind.WORKER, 7, "ab", "host")


@pytest.fixture
def redis(plain_redis: Redis) -> Redis:
    """Return a plain Redis: the kind of server doesn't matter here."""
    return plain_redis


@pytest.fixture
def errors(redis: Redis) -> RedisErrors:
    LOGGED.send(lambda _: None)
    return RedisErrors(redis)


def log(level: str, event: str) -> None:
    LOGGED(None, level, {"level": level, "event": event})


def test_an_error_is_reported_once_with_its_process(errors: RedisErrors) -> None:
    for level in ("info", "warning", "error", "critical"):
        log(level, f"an {level}")
    report_errors(errors, ME)
    report_errors(errors, ME)
    found = [(each.process, each.what) for each in errors.of_last_hour(10)]
    assert found == [(ME.name, "an critical"), (ME.name, "an error")]


def test_errors_are_kept_while_redis_is_away_up_to_a_limit(
    errors: RedisErrors, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:

        def fail(*_: object) -> None:
            raise redis_py.ConnectionError

        away.setattr(errors, "add", fail)
        for number in range(MOST_HELD + 5):
            log("error", str(number))
        report_errors(errors, ME)
    report_errors(errors, ME)
    assert [each.what for each in errors.of_last_hour(1000)] == [
        str(number) for number in range(MOST_HELD + 4, 4, -1)
    ]


def test_a_flood_of_errors_does_not_fill_redis(errors: RedisErrors, redis: Redis) -> None:
    for _ in range(30):
        errors.add("p", [("x", "y")] * 100)
    assert redis.one("XLEN", "kozyr:{service}:errors") <= MOST_KEPT + 100
