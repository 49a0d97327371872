"""`kozyr verify` retries requests to a busy service as the Python client does, up to a limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from kozyr.reading import verify

RECORD = "http://127.0.0.1:1/v1/matches/m/record"
Answer = Callable[[], httpx.Response]


class OwnTime:
    """A clock that advances only by its pauses."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> OwnTime:
    clock = OwnTime()
    monkeypatch.setattr(verify, "time", clock)
    return clock


def busy(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers=headers, json={"detail": "more than 600 in 60 s"})


def verified(monkeypatch: pytest.MonkeyPatch, *answers: httpx.Response) -> Result:
    """Verify a record of a service that gives these answers, the last one again and again."""
    left: list[Any] = list(answers)
    monkeypatch.setattr(
        httpx.HTTPTransport,
        "handle_request",
        lambda *_: left.pop(0) if len(left) > 1 else left[0],
    )
    return CliRunner().invoke(main, ["verify", RECORD])


def test_a_retry_waits_as_long_as_the_service_says_and_is_reported(
    monkeypatch: pytest.MonkeyPatch, clock: OwnTime, caplog: pytest.LogCaptureFixture
) -> None:
    refused = [busy(429, **{"Retry-After": "7"}), busy(503)]
    ended = verified(monkeypatch, *refused, httpx.Response(404), httpx.Response(404))
    assert ended.exit_code == 2
    assert 7 <= clock.slept[0] < 8
    assert len(clock.slept) == 2
    assert caplog.messages[0].startswith("busy: 429: more than 600 in 60 s; attempt 2 in 7.")


def test_a_service_that_stays_busy_is_given_up(monkeypatch: pytest.MonkeyPatch, clock: OwnTime) -> None:
    ended = verified(monkeypatch, busy(503))
    assert ended.exit_code == 2
    assert ended.stderr.splitlines()[-1] == f"kozyr: {RECORD}: 503: more than 600 in 60 s"
    assert verify.PATIENCE_S - 10 < clock.monotonic() <= verify.PATIENCE_S


def test_other_refusals_are_not_retried(monkeypatch: pytest.MonkeyPatch, clock: OwnTime) -> None:
    ended = verified(monkeypatch, httpx.Response(404))
    assert (ended.exit_code, clock.slept) == (2, [])
