"""Requests to a busy service are retried after the delay that it names, up to a limit. `kozyr verify` does so too."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from kozyr.reading.retry import PATIENCE_S, TooBusy, opened

PAGE = Path(__file__).parents[2] / "docs" / "shuffles.md"


class Asker:
    """A client whose clock advances only by its pauses."""

    def __init__(self, *answers: httpx.Response) -> None:
        self._answers = list(answers)
        self.slept: list[float] = []
        self.reported: list[str] = []
        self.http = httpx.Client(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def ask(self) -> int:
        """Return the status of the final response."""
        with opened(
            self.http,
            "http://service/",
            {},
            self.reported.append,
            sleep=self.slept.append,
            clock=lambda: sum(self.slept),
        ) as answer:
            return answer.status_code


def busy(status: int = 429, after: str | None = None) -> httpx.Response:
    headers = {} if after is None else {"Retry-After": after}
    return httpx.Response(status, headers=headers, json={"detail": "more than 600 in 60 s"})


def test_a_retry_waits_as_long_as_the_service_says_and_is_reported() -> None:
    asker = Asker(busy(429, "7"), busy(503, "1"), httpx.Response(200))
    assert asker.ask() == 200
    assert asker.slept == [7.0, 1.0]
    assert asker.reported[0] == "429: more than 600 in 60 s; retrying in 7 s"


def test_without_retry_after_pauses_double() -> None:
    asker = Asker(*[busy(503)] * 7, httpx.Response(200))
    assert asker.ask() == 200
    assert asker.slept == [1, 2, 4, 8, 16, 30, 30]


def test_other_refusals_are_not_retried() -> None:
    asker = Asker(httpx.Response(404))
    assert (asker.ask(), asker.slept) == (404, [])


def test_retries_end_with_a_clear_error() -> None:
    asker = Asker(busy(503))
    with pytest.raises(
        TooBusy, match=r"503: more than 600 in 60 s \(gave up after \d+ requests in \d+ s; the next"
    ):
        asker.ask()
    assert PATIENCE_S - 30 < sum(asker.slept) <= PATIENCE_S


def test_a_retry_beyond_the_time_limit_is_not_awaited() -> None:
    asker = Asker(busy(429, "3600"))
    with pytest.raises(TooBusy, match="the next would be in 3600 s"):
        asker.ask()
    assert asker.slept == []


def test_verify_is_as_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda *_: busy(503, "100000"))
    ended = CliRunner().invoke(main, ["verify", "http://127.0.0.1:1/v1/matches/m/record"])
    assert (ended.exit_code, "the next would be in 100000 s" in ended.stderr) == (2, True), ended.output
